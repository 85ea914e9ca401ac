-- How many permits of a key all nodes together have told of, where they decide by themselves and tell it afterwards.
-- A node that remembers what it was told the last time knows by it what the others have granted since.
--
-- KEYS   the last: the sum. It is taken off here: whoever comes after this sees the buckets alone.
-- Value: generation; when it began, in microseconds, by which one that was lost in between is noticed; the sum.
-- Reply: when it began and the sum, after all else.

local sum_key = table.remove(KEYS)
local sum_value = call('GET', sum_key)
if sum_value and (#sum_value ~= 15 or sum_value:byte() ~= GENERATION) then
  return redis.error_reply('WEIRFORMAT the value of ' .. sum_key .. ' is of another release of Weir')
end

function add_to_sum(reply, now, permits, life)
  local began, sum = now, 0
  if sum_value then
    began, sum = unpack('<xI7I7', sum_value)
  end
  sum = sum + permits
  if sum >= 2 ^ 53 then
    began, sum = now, permits
  end
  call('SET', sum_key, pack('<BI7I7', GENERATION, began, sum), 'PX', floor(life / 1000) + linger)
  reply[#reply + 1] = began
  reply[#reply + 1] = sum
end
