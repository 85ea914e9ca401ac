-- Asks Weir whether a request may go: `http-request lua.weir SOCKET` in haproxy.cfg.
--
-- The answer stands in variables of the transaction:
--   txn.weir_status       what was said: 2xx allowed, 429 refused, 400 malformed; else nobody knows
--   txn.weir_body         the body of a refusal
--   txn.weir_retry_after  its headers, and so on: see `told`
--
-- The question goes to the section `weir` of haproxy.cfg, which keeps connections to Weir open and
-- has the timeouts. Asked directly, a Weir that is away would cost three seconds: this client tries
-- again, thrice.

-- Only this proxy may set what rules judge by; and what belongs to the connection stays there.
local ours = {
  ["x-original-method"] = true, ["x-original-uri"] = true, ["x-original-url"] = true,
  ["x-original-host"] = true, ["x-forwarded-method"] = true, ["x-forwarded-uri"] = true,
  ["x-forwarded-host"] = true, ["x-forwarded-for"] = true, ["x-forwarded-proto"] = true,
  ["x-real-ip"] = true, ["forwarded"] = true, ["x-weir-token"] = true,
  ["connection"] = true, ["keep-alive"] = true, ["te"] = true, ["trailer"] = true,
  ["upgrade"] = true, ["expect"] = true, ["transfer-encoding"] = true, ["content-length"] = true,
}

local told = {
  ["content-type"] = "txn.weir_type",
  ["retry-after"] = "txn.weir_retry_after",
  ["x-ratelimit-limit"] = "txn.weir_limit",
  ["x-ratelimit-remaining"] = "txn.weir_remaining",
  ["x-ratelimit-reset"] = "txn.weir_reset",
  ["ratelimit-policy"] = "txn.weir_policy",
  ["ratelimit"] = "txn.weir_ratelimit",
}

local function question(txn)
  local headers = {}
  for name, values in pairs(txn.http:req_get_headers()) do
    if not ours[name] then
      headers[name] = {}
      for i = 0, #values do -- haproxy counts from 0, the client from 1
        headers[name][i + 1] = values[i]
      end
    end
  end
  headers["x-original-method"] = { txn.f:method() }
  headers["x-original-uri"] = { txn.f:pathq() }
  headers["x-forwarded-for"] = { txn.f:src() }
  return headers
end

local function ask(txn, socket)
  local answer = core.httpclient():get {
    url = "http://127.0.0.1/v1/auth", -- a name would be looked up
    dst = socket,
    headers = question(txn),
    timeout = 1000, -- the section `weir` gives up long before
  }
  txn:set_var("txn.weir_status", answer.status)
  txn:set_var("txn.weir_body", answer.body or "")
  if answer.status >= 300 and answer.status ~= 429 and answer.status ~= 400 then
    return
  end
  for name, variable in pairs(told) do
    local values = answer.headers and answer.headers[name]
    if values then
      txn:set_var(variable, values[0])
    end
  end
end

core.register_action("weir", { "http-req" }, function(txn, socket)
  txn:set_var("txn.weir_status", 0)
  -- Whatever goes wrong here is a Weir that did not answer, never an error for the client.
  local fine, problem = pcall(ask, txn, socket)
  if not fine then
    txn:Warning("weir: " .. tostring(problem))
  end
end, 1)
