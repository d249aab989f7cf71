FROM ros:humble-ros-base

# hadolint ignore=DL3008
RUN apt-get update && apt-get install -y --no-install-recommends \
        python3-jinja2 python3-pip \
    && rm -rf /var/lib/apt/lists/*
RUN pip3 install --no-cache-dir "shapely==2.0.6"

COPY src /ws/src
WORKDIR /ws
SHELL ["/bin/bash", "-o", "pipefail", "-c"]
# hadolint ignore=SC1091
RUN ln -s bug_nav/bug_nav_msgs src/bug_nav_msgs \
    && . /opt/ros/humble/setup.bash \
    && apt-get update && rosdep update \
    && rosdep install --from-paths src --ignore-src -y \
    && colcon build \
    && rm -rf /var/lib/apt/lists/*

RUN useradd --create-home --uid 1000 grader
USER 1000
WORKDIR /graded
ENTRYPOINT ["/bin/bash", "-c", ". /ws/install/setup.bash && exec \"$@\"", "grade"]
CMD ["ros2", "run", "bug_nav", "bug_nav", "grade", "--help"]
