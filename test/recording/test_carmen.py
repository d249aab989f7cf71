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

"""CARMEN logs: parsing of lines, and malformed files."""

import gzip
import math

from bug_nav.recording import carmen, RecordingError
from bug_nav.recording.carmen import CarmenLog
from hypothesis import given, settings
from hypothesis import strategies as st
import pytest

TAIL = '{0} host {0}'


def flaser(at, count=4, pose='1 2 0.5', odom='1 2 0.5', far='81.9'):
    ranges = ' '.join(['1.5'] * (count - 1) + [far])
    return f'FLASER {count} {ranges} {pose} {odom} {at} host {at}'


def robotlaser(at, remissions=' 0'):
    return (f'ROBOTLASER1 0 -1.5708 3.1416 1.0472 30.0 0.01 0 4 1 2 3 30{remissions} '
            f'1.1 2 0.5 1 2 0.5 0.1 0.2 0.3 0.4 1e5 {at} host {at}')


def rawlaser(at):
    return f'RAWLASER1 0 -1.5708 3.1416 1.0472 30.0 0.01 0 4 1 2 3 30 0 {at} host {at}'


def written(folder, *lines, name='a.log'):
    text = '\n'.join(('# CARMEN Logfile', 'PARAM robot_length 0.5', *lines, '')).encode()
    (folder / name).write_bytes(gzip.compress(text) if name.endswith('.gz') else text)
    return str(folder / name)


def messages(path):
    with CarmenLog(path) as log:
        found = list(log.messages(log.topics))
        assert (log.began, log.ended) == (found[0].at, found[-1].at)
    return ([each for each in found if each.topic == '/scan'],
            [each for each in found if each.topic == '/odom'])


@pytest.mark.parametrize('name', ['a.log', 'a.clf', 'a.log.gz', 'a.clf.gz'])
def test_scan_has_the_pose_of_the_lidar(tmp_path, name):
    path = written(tmp_path, flaser(10.0), 'ODOM 9 9 0 0 0 0 10.1 host 10.1', flaser(10.2),
                   name=name)
    scans, poses = messages(path)
    assert [each.at for each in scans] == [each.at for each in poses] == [10.0, 10.2]
    place = poses[0].message.pose.pose
    assert (place.position.x, place.position.y) == (1.0, 2.0)
    assert 2.0 * math.atan2(place.orientation.z, place.orientation.w) == pytest.approx(0.5)
    assert scans[0].message.header.frame_id == poses[0].message.child_frame_id
    assert scans[0].message.ranges.tolist() == [1.5, 1.5, 1.5, math.inf]


@pytest.mark.parametrize('count, last', [(180, 89.0), (181, 90.0), (360, 89.5), (361, 90.0)])
def test_old_lines_span_half_a_turn(tmp_path, count, last):
    scan, = messages(written(tmp_path, flaser(1.0, count)))[0]
    assert scan.message.angle_min == pytest.approx(-0.5 * math.pi)
    assert math.degrees(scan.message.angle_max) == pytest.approx(last)


@pytest.mark.parametrize('remissions', [' 0', ' 4 9 9 9 9', ''])
def test_new_lines_contain_their_angles(tmp_path, remissions):
    scans, poses = messages(written(tmp_path, rawlaser(0.9), robotlaser(1.0, remissions)))
    assert len(scans) == len(poses) == 1  # the raw line and the placed line are the same scan
    scan = scans[0].message
    assert scan.angle_min == -1.5708 and scan.angle_increment == 1.0472
    assert scan.range_max == 30.0 and scan.ranges.tolist() == [1.0, 2.0, 3.0, math.inf]
    assert poses[0].message.pose.pose.position.x == 1.1


def test_scans_without_poses_use_odometry(tmp_path):
    scans, poses = messages(written(tmp_path, 'ODOM 3 4 0 0 0 0 1 host 1', rawlaser(1.0),
                                    'ODOM 5 4 0 0 0 0 0.9 host 0.9'))
    assert [each.at for each in (*scans, *poses)] == [1.0, 1.0, 1.0]
    assert [each.message.pose.pose.position.x for each in poses] == [3.0, 5.0]


def test_log_without_odometry_has_no_odometry_topic(tmp_path):
    with CarmenLog(written(tmp_path, rawlaser(1.0))) as log:
        assert list(log.topics) == ['/scan']


def test_repeated_and_decreasing_times_become_increasing(tmp_path):
    scans, _ = messages(written(tmp_path, *(flaser(at) for at in (5.0, 5.0, 4.0, 9.0))))
    assert [each.at for each in scans] == pytest.approx([5.0, 5.1, 5.2, 9.0])


def timed(measured, logged):
    """Return a line with two different times."""
    return flaser(logged).replace(f'{logged} host', f'{measured} host')


@given(jitter=st.lists(st.floats(0.0, 0.19), min_size=12, max_size=40))
def test_times_of_measurement_are_used_if_those_of_logging_jitter(tmp_path_factory, jitter):
    logged = [round(0.2 * k + late, 4) for k, late in enumerate([0.0, *jitter, 0.0])]
    path = written(tmp_path_factory.mktemp('log'), *(
        timed(1134864629.5 + 0.2 * k, at) for k, at in enumerate(logged)))
    scans, poses = messages(path)
    expected = [0.2 * k for k in range(len(logged))]
    assert [each.at for each in scans] == pytest.approx(expected, abs=1e-6)
    assert [each.at for each in poses] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize('measured', [
    (0.0, 0.0, 0.0), (7.0, 7.4, 7.2), (7.0, 9.0, 29.0), ('x', 'x', 'x'), (1.0, 'inf', 'inf'),
    ('nan', 'nan', 'nan')])
def test_times_of_measurement_that_cannot_be_right_are_not_used(tmp_path, measured):
    scans, _ = messages(written(tmp_path, *map(timed, measured, (5.0, 5.3, 5.5))))
    assert [each.at for each in scans] == [5.0, 5.3, 5.5]


@pytest.mark.parametrize('line, words', [
    ('FLASER', 'has 0 ranges'), ('FLASER 1 2', 'has 1 ranges; allowed are 2 to 10000'),
    ('FLASER x 1', "'x'"), ('FLASER 99999999999 1', 'allowed are 2 to 10000'),
    ('FLASER 4 1 2 3', 'announces 4 ranges but has only 5 words'),
    ('FLASER 2 1 2 3 4 1 h 1', "'h'"),
    ('FLASER 2 1 ? 1 2 3 1 2 3 1 h 1', "'?'"),
    ('FLASER 2 1 2 nan 0 0 0 0 0 1 h 1', 'lacks 6 finite numbers'),
    ('FLASER 2 1 2 1e300 0 0 0 0 0 1 h 1', 'has a pose farther than'),
    ('FLASER 2 1 2 0 0 0 0 0 0 1 h nan', 'lacks 1 finite numbers'),
    ('FLASER 2 1 2 0 0 0 0 0 0 1 h 1e300', 'has the time 1e+300 s'),
    ('ROBOTLASER1 0 0 3 1 30', 'has 0 ranges'),
    (robotlaser(1.0, ' 9'), 'which do not fit 4 ranges, 9 remissions'),
    ('ROBOTLASER1 0 inf 3 1 30 0 0 2 1 2 1 h 1', 'lacks 4 finite numbers')])
def test_invalid_line_is_reported_in_one_sentence_with_its_number(tmp_path, line, words):
    with pytest.raises(RecordingError) as caught:
        messages(written(tmp_path, flaser(1.0), line))
    text = str(caught.value)
    assert words in text and 'a.log:4: ' in text and '\n' not in text


def test_other_log_is_rejected(tmp_path):
    with pytest.raises(RecordingError, match='it is not a CARMEN log'):
        CarmenLog(written(tmp_path, 'ODOM 3 4 0 0 0 0 1 host 1'))
    (tmp_path / 'b.log').write_bytes(bytes(range(256)) * 99)
    with pytest.raises(RecordingError, match='it is not a CARMEN log'):
        CarmenLog(str(tmp_path / 'b.log'))


def test_missing_file_and_device_are_rejected(tmp_path):
    for path, words in ((tmp_path / 'x.log', 'there is no recording'),
                        ('/dev/zero', 'is not a regular file')):
        with pytest.raises(RecordingError, match=words):
            CarmenLog(str(path))


def test_truncated_or_uncompressed_file_is_rejected(tmp_path):
    path = written(tmp_path, *(flaser(at) for at in range(99)), name='a.log.gz')
    content = (tmp_path / 'a.log.gz').read_bytes()
    for damaged in (content[:-20], b'FLASER 4', content[:30] + b'\x00\xff' + content[32:]):
        (tmp_path / 'a.log.gz').write_bytes(damaged)
        with pytest.raises(RecordingError, match='cannot be read'):
            CarmenLog(path)


def test_decompression_is_limited(tmp_path, monkeypatch):
    path = tmp_path / 'a.log.gz'
    path.write_bytes(gzip.compress(b'FLASER ' + b'1' * (2 * carmen.MAX_LINE)))
    with pytest.raises(RecordingError, match='a line of more than 262144 characters'):
        CarmenLog(str(path))
    monkeypatch.setattr(carmen, 'MAX_LOG', 1 << 16)
    path.write_bytes(gzip.compress(b'#\n' * (1 << 16)))
    with pytest.raises(RecordingError, match='is larger than'):
        CarmenLog(str(path))


@settings(max_examples=200, deadline=None)
@given(st.lists(st.sampled_from(['FLASER', 'ROBOTLASER1', 'RAWLASER1', 'ODOM', '0', '2', '-3',
                                 '1e9', 'nan', 'inf', 'x', '1_0', '\n', '', 'é']), max_size=60))
def test_random_content_is_read_or_reported_in_one_sentence(tmp_path_factory, words):
    path = tmp_path_factory.getbasetemp() / 'any.log'
    path.write_text(' '.join(words).replace(' \n ', '\n'), encoding='utf-8')
    try:
        with CarmenLog(str(path)) as log:
            list(log.messages(log.topics))
    except RecordingError as error:
        assert '\n' not in str(error)
