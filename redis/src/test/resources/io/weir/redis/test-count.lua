-- KEYS[1] counter, ARGV[1] how much; returns the sum, what was asked, and an inner array.
local sum = redis.call('INCRBY', KEYS[1], ARGV[1])
return {sum, tonumber(ARGV[1]), {-7, {sum * 2}}}
