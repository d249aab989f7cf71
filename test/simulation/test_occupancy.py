# Copyright 2026 The bug_nav authors
#
# Licensed under the Apache License, Version 2.0 (the "License");
# you may not use this file except in compliance with the License.
# You may obtain a copy of the License at
#
#     http://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software
# distributed under the License is distributed on an "AS IS" BASIS,
# WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
# See the License for the specific language governing permissions and
# limitations under the License.

from __future__ import annotations

import math
from pathlib import Path
import re
import struct
import zlib

from bug_nav.simulation import occupancy
from bug_nav.simulation.catalogue import find_world
from bug_nav.simulation.occupancy import load_map
from bug_nav.simulation.world import World, WorldError
import numpy as np
from PIL import Image
import pytest

FIELDS = {'image': 'map.pgm', 'resolution': '0.5', 'origin': '[-1.0, 2.0, 0.0]', 'negate': '0',
          'occupied_thresh': '0.65', 'free_thresh': '0.196'}
# Values of map_saver: occupied, unknown, free.
BLACK, GREY, WHITE = 0, 205, 254


def write(folder: Path, pixels, name: str = 'map.pgm', **fields: str) -> Path:
    """Write a map; a field with the value '' is omitted."""
    image = pixels if isinstance(pixels, Image.Image) else Image.fromarray(
        np.array(pixels, dtype=np.uint8))
    image.save(folder / name)
    return describe(folder, **{'image': name, **fields})


def describe(folder: Path, **fields: str) -> Path:
    path = folder / 'map.yaml'
    path.write_text('\n'.join(f'{field}: {value}' for field, value in {**FIELDS, **fields}.items()
                              if value), encoding='utf-8')
    return path


def solid_at(world: World, *columns_and_rows: tuple) -> list:
    """Return whether cells are solid; columns and rows count from the origin at the lower left."""
    centres = [(-1.0 + 0.5 * (column + 0.5), 2.0 + 0.5 * (row + 0.5))
               for column, row in columns_and_rows]
    return (world.clearance(centres) < 0).tolist() if world.solids else [False] * len(centres)


def row_of(world: World, count: int) -> list:
    """Return which cells of the lowest row are solid."""
    return solid_at(world, *((column, 0) for column in range(count)))


# Valid maps.

def test_last_row_of_the_image_is_at_the_origin(tmp_path):
    world = load_map(write(tmp_path, [[WHITE, WHITE, WHITE], [BLACK, WHITE, WHITE]]))
    assert (world.name, world.start, world.goal) == ('map', None, None)
    assert world.bounds == pytest.approx((-1.0, 2.0, -0.5, 2.5))


def test_yaw_of_the_origin_rotates_the_map(tmp_path):
    path = write(tmp_path, [[WHITE, BLACK]], origin=f'[10, 20, {math.pi / 2}]')
    assert load_map(path).bounds == pytest.approx((9.5, 20.5, 10.0, 21.0))


@pytest.mark.parametrize('unknown, expected', [
    ('free', [True, False, False]), ('solid', [True, True, False])])
def test_unknown_cells_are_free_or_solid_as_requested(tmp_path, unknown, expected):
    path = write(tmp_path, [[BLACK, GREY, WHITE]])
    assert row_of(load_map(path, unknown), 3) == expected
    assert row_of(find_world(f'{path}?unknown={unknown}'), 3) == expected


def test_unknown_cells_of_a_map_found_by_path_are_free(tmp_path):
    path = write(tmp_path, [[BLACK, GREY, WHITE]])
    assert row_of(find_world(path), 3) == row_of(find_world(str(path)), 3) == [True, False, False]


def test_white_cells_of_a_negated_map_are_occupied(tmp_path):
    for negate in ('1', 'true', '"1"'):
        path = write(tmp_path, [[255, 0]], negate=negate)
        assert row_of(load_map(path), 2) == [True, False]


def test_cell_at_a_threshold_is_unknown(tmp_path):
    # 255 - 51 is 0.8 of 255, and 51 is 0.2.
    path = write(tmp_path, [[50, 51, 204, 254]], occupied_thresh='0.8', free_thresh='0.2')
    assert row_of(load_map(path), 4) == [True, False, False, False]
    assert row_of(load_map(path, 'solid'), 4) == [True, True, True, False]


@pytest.mark.parametrize('grey', [203, 205, 207])
@pytest.mark.parametrize('other', [0, 150, 254])
def test_shade_of_unknown_cells_is_solid_beside_any_other(tmp_path, grey, other):
    path = write(tmp_path, [[grey, 254, other]], free_thresh='0.25')
    assert not row_of(load_map(path), 3)[0]
    assert row_of(load_map(path, 'solid'), 3)[:2] == [True, False]


def test_color_channels_are_averaged(tmp_path):
    path = write(tmp_path, [[(255, 0, 0), (255, 255, 0)]], 'map.png', occupied_thresh='0.5')
    assert row_of(load_map(path), 2) == [True, False]


def test_transparency_counts_as_a_channel_in_trinary_mode(tmp_path):
    # Transparent white: (3 x 255 + 0) / 4 is 0.75 of white, so its occupancy is 0.25.
    path = write(tmp_path, [[(255, 255, 255, 0), (0, 0, 0, 255), (0, 0, 0, 0)]], 'map.png')
    assert row_of(load_map(path), 3) == [False, True, True]
    assert row_of(load_map(path, 'solid'), 3) == [True, True, True]


def test_transparency_after_the_pixels_of_a_palette_causes_no_warning(tmp_path, recwarn):
    image = Image.frombytes('P', (3, 1), bytes([0, 1, 2]))
    image.putpalette([0, 0, 0, 0, 0, 0, 255, 255, 255])
    path = write(tmp_path, image, 'map.png')
    worlds = []
    for behind in (False, True):
        content = (tmp_path / 'map.png').read_bytes()
        data = b'\xff\x00\xff'
        chunk = struct.pack('>I', 3) + b'tRNS' + data + struct.pack(
            '>I', zlib.crc32(b'tRNS' + data))
        place = content.index(b'IEND' if behind else b'IDAT') - 4
        (tmp_path / f'{behind}.png').write_bytes(content[:place] + chunk + content[place:])
        worlds.append(load_map(describe(tmp_path, image=f'{behind}.png')))
    assert row_of(worlds[0], 3) == row_of(worlds[1], 3)
    assert path.exists() and not recwarn.list


def test_transparent_pixel_is_unknown_in_scale_mode(tmp_path):
    pixels = [[(0, 0, 0, 255), (0, 0, 0, 254), (128, 128, 128, 255), (255, 255, 255, 255)]]
    path = write(tmp_path, pixels, 'map.png', mode='scale')
    assert row_of(load_map(path), 4) == [True, False, False, False]
    assert row_of(load_map(path, 'solid'), 4) == [True, True, True, False]


def test_raw_values_above_100_percent_are_unknown(tmp_path):
    # Like map_server, which does not negate raw values.
    for negate in ('0', '1'):
        path = write(tmp_path, [[0, 65, 66, 100, 101, 255]], mode='raw', negate=negate)
        assert row_of(load_map(path), 6) == [False, False, True, True, False, False]
        assert row_of(load_map(path, 'solid'), 6) == [False, True, True, True, True, True]


def test_sixteen_bit_image_is_scaled_like_an_eight_bit_one(tmp_path):
    pixels = np.array([[0, 65535, 40000]], dtype=np.uint16)
    assert row_of(load_map(write(tmp_path, Image.fromarray(pixels), 'map.png')), 3) == [
        True, False, False]


@pytest.mark.parametrize('content', [
    b'P2\n# by hand\n3 1\n255\n0 205 254\n',
    b'P5\r\n3 1\r\n255\r\n\x00\xcd\xfe', b'P5\n3 1\n255\n\x00\xcd\xfe',
    b'P2\n3 1\n100\n0 80 100\n', b'P2\n3 1\n1000\n0 804 1000\n', b'P5\n3 1\n65535\n' + bytes(
        (0, 0, 205, 205, 255, 255))])
def test_every_pgm_format_is_read(tmp_path, content):
    (tmp_path / 'map.pgm').write_bytes(content)
    assert row_of(load_map(describe(tmp_path)), 3) == [True, False, False]
    assert row_of(load_map(describe(tmp_path), 'solid'), 3) == [True, True, False]


@pytest.mark.parametrize('mode', ['1', 'L', 'LA', 'P', 'RGB', 'RGBA'])
@pytest.mark.parametrize('name', ['map.png', 'map.bmp'])
def test_every_png_and_bmp_format_is_read(tmp_path, mode, name):
    if name == 'map.bmp' and mode == 'LA':
        pytest.skip('there is no such bmp')
    image = Image.fromarray(np.array([[0, 255]], dtype=np.uint8)).convert(mode)
    assert row_of(load_map(write(tmp_path, image, name)), 2) == [True, False]


def test_path_of_the_image_may_be_relative_or_absolute(tmp_path):
    (tmp_path / 'images').mkdir()
    write(tmp_path / 'images', [[BLACK]])
    for image in ('images/map.pgm', str(tmp_path / 'images' / 'map.pgm')):
        assert row_of(load_map(describe(tmp_path, image=image)), 1) == [True]


def test_mode_is_optional_and_unknown_fields_are_ignored(tmp_path):
    path = write(tmp_path, [[BLACK]], mode='', author='somebody')
    assert row_of(load_map(path), 1) == [True]


def test_number_formats_of_map_server_are_accepted(tmp_path):
    path = write(tmp_path, [[BLACK]], resolution='5e-1', origin='[-1, 2, 0]')
    assert load_map(path).bounds == pytest.approx((-1.0, 2.0, -0.5, 2.5))


def test_map_without_obstacles_is_an_empty_world(tmp_path):
    world = load_map(write(tmp_path, [[WHITE, GREY]]))
    assert world.solids == ()
    assert world.notes == ('no cell of the map is solid: none is above occupied_thresh 0.65 in '
                           'mode trinary',)


# Invalid maps.

def rejection(path: Path, **options: str) -> str:
    with pytest.raises(WorldError) as caught:
        load_map(path, **options)
    message = str(caught.value)
    assert '\n' not in message and str(path.parent) in message
    return message


@pytest.mark.parametrize('field', sorted(FIELDS))
def test_missing_field_is_reported(tmp_path, field):
    path = write(tmp_path, [[BLACK]])
    describe(tmp_path, **{field: ''})
    assert rejection(path) == f"{path}: the field '{field}' is missing"


@pytest.mark.parametrize('field, value, reason', [
    ('image', '5', "image is '5'; give the name of a pgm, ppm, png, bmp or jpg file"),
    ('resolution', '0', "resolution is '0.0'; give metres for a cell, above 0"),
    ('resolution', '-0.05', "resolution is '-0.05'; give a number from 0 to 100"),
    ('resolution', '.nan', 'resolution is'), ('resolution', '[1]', 'resolution is a list'),
    ('resolution', 'true', "resolution is 'True'"), ('resolution', 'fine', "is 'fine'"),
    ('resolution', '1' + 400 * '0', 'resolution is'),
    ('origin', '[0, 0]', 'origin has 2 values; give x, y and yaw'),
    ('origin', '0', "origin is '0'"), ('origin', '[0, 0, .inf]', "origin is 'inf'"),
    ('origin', '[0, 1e9, 0]', 'from -100000 to 100000'), ('negate', '2', "negate is '2'; give 0"),
    ('negate', 'no way', "negate is 'no way'"), ('negate', '[0]', 'negate is a list'),
    ('occupied_thresh', '65', "occupied_thresh is '65'; give a number from 0 to 1"),
    ('free_thresh', '0.7', "free_thresh is '0.7'; give at most occupied_thresh, 0.65"),
    ('mode', 'Trinary', "mode is 'Trinary'; give trinary, scale or raw"),
    ('mode', '~', 'mode is empty'), ('free_thresh', '0.1\nmode: raw\nmode: scale',
                                     "the field 'mode' is there twice"),
    ('mode', '[trinary]', 'mode is a list'), ('mode', '{a: 1}', 'mode is a dict')])
def test_invalid_field_is_reported_with_the_allowed_values(tmp_path, field, value, reason):
    path = write(tmp_path, [[BLACK]])
    describe(tmp_path, **{field: value})
    assert reason in rejection(path)


@pytest.mark.parametrize('text, reason', [
    ('', 'not a map of map_server'), ('just words', 'not a map of map_server'),
    ('- a\n- list', 'not a map of map_server'), ('a: [1, 2\nb: 3', ':2: not well-formed YAML'),
    ('!!python/object/apply:os.system ["true"]', ':1: not well-formed YAML'),
    ('a: \x00', 'not well-formed YAML'), ('a: b\n' * 40_000, 'larger than 100 kB'),
    ('[' * 50_000, 'cannot be read')])
def test_yaml_file_without_a_map_is_rejected(tmp_path, text, reason):
    path = tmp_path / 'map.yaml'
    path.write_text(text, encoding='utf-8')
    assert reason in rejection(path)


def test_yaml_with_exponential_aliases_is_not_printed(tmp_path):
    layers = ['a0: &a0 [x, x, x, x, x, x, x, x, x]'] + [
        f'a{k}: &a{k} [{", ".join([f"*a{k - 1}"] * 9)}]' for k in range(1, 12)]
    path = write(tmp_path, [[BLACK]])
    path.write_text('\n'.join(layers) + '\nimage: *a11\n', encoding='utf-8')
    assert 'image is a list' in rejection(path)


@pytest.mark.parametrize('content, reason', [
    (b'', 'not a pgm, ppm, png, bmp or jpg image'), (b'a photograph', 'not a pgm'),
    (b'version https://git-lfs.github.com/spec/v1\noid sha256:1\nsize 9\n', 'git lfs pull'),
    (b'\xff\xd8\xff\xe0 a photograph', 'damaged image|not a pgm'),
    (b'P5\n3 2\n255\n\x00', 'damaged image'), (b'P2\n2 1\n255\n0 x', 'damaged image'),
    (b'P5\n-3 2\n255\n\x00', 'header'), (b'P5\n0 2\n255\n', '0 x 2 pixels'),
    (b'P2\n2 1\n100\n0 101', 'not from 0 to 100'), (b'P2\n1 1\n100\n-1', 'not from 0'),
    (b'P5\n1 1\n70000\n000', 'up to 70000'), (b'\x89PNG\r\n\x1a\n', 'not a pgm'),
    (b'P6\n2 1\n255\n000', 'damaged image'), (b'P6\n99999 9\n255\n000', 'pixels'),
    (b'P6\n1 1\n0\n000', 'damaged image|not a pgm'),
    (b'P5\n5000 5000\n255\n', '5000 x 5000 pixels; up to 4096'),
    (b'P5\n999999 999999\n255\n', 'up to 4096 x 4096')])
def test_invalid_image_is_rejected(tmp_path, content, reason):
    (tmp_path / 'map.pgm').write_bytes(content)
    assert re.search(reason, rejection(describe(tmp_path)))


@pytest.mark.parametrize('kind, mode', [
    ('ppm', 'RGB'), ('png', 'RGB'), ('bmp', 'L'), ('jpeg', 'L'), ('jpeg', 'RGB')])
def test_image_is_read_by_its_content_whatever_its_name(tmp_path, kind, mode):
    cells = np.full((16, 24), 254, np.uint8)
    cells[4:8, 8:16] = 0
    Image.fromarray(cells).convert(mode).save(tmp_path / 'map.pgm', kind)
    world = load_map(describe(tmp_path))
    expected = load_map(write(tmp_path, cells))
    assert len(world.solids) == 1 and world.bounds == pytest.approx(expected.bounds)


def test_image_without_yaml_may_be_a_photograph(tmp_path):
    Image.fromarray(np.zeros((8, 8), np.uint8)).save(tmp_path / 'plan.jpg')
    world = find_world(f'{tmp_path}/plan.jpg?resolution=0.5')
    assert world.bounds == pytest.approx((0, 0, 4, 4))


@pytest.mark.parametrize('beside, suggested', [
    ('map.png', 'map.png'), ('mapp.pgm', 'mapp.pgm'), ('office.jpg', 'office.jpg')])
def test_missing_image_suggests_one_that_is_there(tmp_path, beside, suggested):
    (tmp_path / beside).touch()
    (tmp_path / 'zebra.txt').touch()
    message = rejection(describe(tmp_path))
    assert message.endswith(f'; {suggested} is beside it: give map.yaml?image={suggested}, or '
                            "write it into the field 'image'")


def test_missing_image_suggests_its_name_in_another_case(tmp_path):
    for name in ('a.png', 'm.pgm'):
        (tmp_path / name).touch()
    assert 'M.PGM does not exist; m.pgm is beside it' in rejection(
        describe(tmp_path, image='M.PGM'))


# Unknown cells.

def saved_by_nav2(folder, free_thresh):
    """Write a map as map_saver of Nav2 does, with free, occupied and unknown cells."""
    path = write(folder, [[0, 254, 254, 205], [0, 254, 254, 205]])
    describe(folder, free_thresh=str(free_thresh), mode='trinary')
    return path


@pytest.mark.parametrize('free_thresh, notes', [(0.196, 0), (0.25, 1)])
def test_unknown_cells_of_map_saver_are_solid_on_demand(tmp_path, free_thresh, notes):
    path = saved_by_nav2(tmp_path, free_thresh)
    assert len(load_map(path).solids) == 1
    world = load_map(path, unknown='solid')
    assert len(world.solids) == 2 and len(world.notes) == notes
    assert all('free_thresh 0.25' in note and 'shade 205' in note for note in world.notes)


def test_option_without_an_effect_says_so(tmp_path):
    world = load_map(write(tmp_path, [[0, 254]]), unknown='solid')
    assert len(world.solids) == 1
    assert world.notes == ('no cell of the map is unknown, so unknown=solid changes nothing',)


def test_missing_file_or_folder_is_reported(tmp_path):
    assert rejection(tmp_path / 'no.yaml') == f'{tmp_path}/no.yaml: No such file or directory'
    assert rejection(describe(tmp_path)) == (
        f'{tmp_path}/map.yaml: the image {tmp_path}/map.pgm does not exist')
    (tmp_path / 'map.pgm').mkdir()
    assert 'not a regular file' in rejection(describe(tmp_path))


def test_file_beyond_the_size_limit_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(occupancy, 'MAX_IMAGE_BYTES', 10)
    assert 'larger than' in rejection(write(tmp_path, [[BLACK] * 20]))


def test_map_with_too_many_corners_is_rejected(tmp_path, monkeypatch):
    monkeypatch.setattr(occupancy, 'MAX_CORNERS', 100)
    noise = np.random.default_rng(0).choice([BLACK, WHITE], (20, 20))
    assert 'up to 100 are allowed' in rejection(write(tmp_path, noise))


@pytest.mark.parametrize('name, reason', [
    ('map.yaml?unknown=grey', "unknown is 'grey'; give free or solid"),
    ('map.yaml?unknown', "unknown is ''"), ('map.yaml?', "takes no argument ''"),
    ('map.yaml?seed=1', "takes no argument 'seed=1'; give a name such as map.yaml?unknown=solid"),
    ('map.tif', "'.tif'; give .world or .sdf (SDF), .yaml (an occupancy map of map_server)"),
    ('map.jpg', 'the image has no resolution; give map.jpg?resolution=0.05')])
def test_invalid_arguments_of_a_map_name_are_rejected(tmp_path, name, reason):
    write(tmp_path, [[BLACK]])
    for image in ('map.jpg', 'map.tif'):
        (tmp_path / image).touch()
    with pytest.raises(WorldError) as caught:
        find_world(tmp_path / name)
    assert reason in str(caught.value)
