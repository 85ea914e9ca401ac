-- KEYS[1] unused: never ends.
while true do end
