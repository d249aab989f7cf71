from setuptools import setup

setup(
    name='my_bug', version='0.0.1', packages=['my_bug'],
    data_files=[('share/ament_index/resource_index/packages', ['resource/my_bug']),
                ('share/my_bug', ['package.xml'])],
    install_requires=['setuptools'],
    entry_points={'console_scripts': ['bug = my_bug.bug:main']})
