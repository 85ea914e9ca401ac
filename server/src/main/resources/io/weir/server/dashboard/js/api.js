// Asks the admin port. Addresses are relative, so that the page works below any path.

import { askForToken, headers, token } from "./session.js";

const PATIENCE_MS = 15_000;

/** An answer that is no, in the server's words. */
export class Refusal extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** The server could not be asked at all. */
export class Unreachable extends Error {}

/**
 * What the server answers, as an object.
 *
 * @param {string} path such as "v1/overview"
 * @param {object} [parameters] of the query; what is null or "" is left out
 * @param {string} [method]
 * @throws {Refusal|Unreachable}
 */
export async function ask(path, parameters = {}, method = "GET") {
  const answer = await send(path, parameters, method, () => AbortSignal.timeout(PATIENCE_MS));
  const body = await read(answer);
  if (!answer.ok) {
    throw refusal(answer, body);
  }
  return body;
}

/** A page that is no JSON, or is to be shown as it is; also one that says no. */
export async function text(path) {
  const answer = await send(path, {}, "GET", () => AbortSignal.timeout(PATIENCE_MS));
  return answer.text();
}

/** The stream of events, as a response whose body is read on and on. */
export async function listen(path, signal) {
  const answer = await send(path, {}, "GET", () => signal);
  if (!answer.ok) {
    throw refusal(answer, await read(answer));
  }
  return answer;
}

async function send(path, parameters, method, signal) {
  const query = new URLSearchParams(
    Object.entries(parameters).filter(
      ([, value]) => value !== null && value !== undefined && value !== "",
    ),
  ).toString();
  const address = query === "" ? path : `${path}?${query}`;
  for (;;) {
    const used = token();
    let answer;
    try {
      answer = await fetch(address, {
        method,
        headers: headers(),
        cache: "no-store",
        signal: signal(),
      });
    } catch (cause) {
      throw new Unreachable("The server does not answer.", { cause });
    }
    if (answer.status !== 401) {
      return answer;
    }
    // Another request may have had the token asked for meanwhile.
    if (token() === used) {
      await askForToken();
    }
  }
}

async function read(answer) {
  try {
    return await answer.json();
  } catch (cause) {
    if (answer.ok) {
      throw new Unreachable("The server's answer broke off.", { cause });
    }
    return {};
  }
}

function refusal(answer, body) {
  const code = typeof body.error === "string" ? body.error : String(answer.status);
  return new Refusal(answer.status, code, body.message ?? `The server answered ${answer.status}.`);
}
