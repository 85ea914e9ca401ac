-- KEYS[1] unused, ARGV[1] the message: returns it as an error.
return redis.error_reply(ARGV[1])
