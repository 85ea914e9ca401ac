-- KEYS[1] unused, ARGV[1] the message: throws it.
error(ARGV[1])
