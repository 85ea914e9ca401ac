-- KEYS[1] unused: returns what no script of ours does.
return 'text'
