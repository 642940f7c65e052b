# What ctest runs all tests with.
set(ENV{TC_CALIBRATION} off)
