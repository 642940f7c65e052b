# The environment that ctest runs all tests in.
set(ENV{TC_CALIBRATION} off)
