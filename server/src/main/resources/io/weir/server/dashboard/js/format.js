// Numbers, times and foreign text as people read them.

const whole = new Intl.NumberFormat("en", { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const hours = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });

const NOTHING = "–";

/** 1,234,567 */
export function count(n) {
  return n === null || n === undefined ? NOTHING : whole.format(n);
}

/** 1.2M: where there is little room. */
export function brief(n) {
  if (n === null || n === undefined) {
    return NOTHING;
  }
  return Math.abs(n) < 10_000 ? whole.format(n) : short.format(n);
}

/** A rate: 0.4, 12, 3,400. */
export function rate(n) {
  return n < 10 && !Number.isInteger(n) ? n.toFixed(1) : brief(Math.round(n));
}

/** 0.0342 is 3.4 %; what is not quite nothing is never shown as 0 %, nor what is not all as 100 %. */
export function share(x) {
  if (x === null || x === undefined || Number.isNaN(x)) {
    return NOTHING;
  }
  const percent = x * 100;
  if (percent > 0 && percent < 0.1) {
    return "< 0.1 %";
  }
  if (percent < 100 && percent > 99.9) {
    return "> 99.9 %";
  }
  return `${percent.toFixed(percent < 10 && percent > 0 ? 1 : 0)} %`;
}

/** Microseconds: 850 ns, 4.2 µs, 1.3 ms. */
export function micros(us) {
  if (us === null || us === undefined) {
    return NOTHING;
  }
  if (us < 1) {
    return `${Math.round(us * 1000)} ns`;
  }
  if (us < 1000) {
    return `${digits(us)} µs`;
  }
  return us < 1_000_000 ? `${digits(us / 1000)} ms` : `${digits(us / 1_000_000)} s`;
}

function digits(x) {
  return x < 10 ? x.toFixed(1) : String(Math.round(x));
}

/** A length of time in its largest unit, or two: 40 s, 3 min, 2 h 10 min, 4 d. */
export function duration(ms) {
  const seconds = Math.max(0, Math.round(ms / 1000));
  if (ms > 0 && ms < 1000) {
    return `${Math.ceil(ms)} ms`;
  }
  if (seconds < 120) {
    return `${seconds} s`;
  }
  const minutes = Math.floor(seconds / 60);
  if (minutes < 120) {
    return `${minutes} min`;
  }
  const inHours = Math.floor(minutes / 60);
  if (inHours < 48) {
    return minutes % 60 === 0 ? `${inHours} h` : `${inHours} h ${minutes % 60} min`;
  }
  return `${Math.floor(inHours / 24)} d`;
}

/** How long to wait, rounded up: after that time it is over. */
export function wait(ms) {
  const unit = ms < 1000 ? 1 : ms < 120_000 ? 1000 : ms < 48 * 3_600_000 ? 60_000 : 86_400_000;
  return duration(Math.ceil(ms / unit) * unit);
}

/** How long ago. */
export function ago(ms, now = Date.now()) {
  return now - ms < 1500 ? "now" : `${duration(now - ms)} ago`;
}

/** 14:03:59 */
export function time(ms) {
  return clock.format(ms);
}

/** 14:03 */
export function minute(ms) {
  return hours.format(ms);
}

/** 16 Nov 2026, 14:03:59 */
export function date(ms) {
  return day.format(ms);
}

/** 12.4 MiB */
export function bytes(n) {
  return n < 1 << 20 ? `${Math.ceil(n / 1024)} KiB` : `${(n / (1 << 20)).toFixed(1)} MiB`;
}

/** "1 rule", "2 rules" */
export function plural(n, one, many = `${one}s`) {
  return `${count(n)} ${n === 1 ? one : many}`;
}

/** The server's words as a sentence of their own. */
export function sentence(words) {
  return words ? `${words[0].toUpperCase()}${words.slice(1)}${words.endsWith(".") ? "" : "."}` : "";
}

// Control characters, and those that turn the direction of text or take no room.
const UNSEEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g;

/** Foreign text with what could not be seen, or would disguise the rest, spelled out. */
export function visible(text) {
  return String(text ?? "").replace(
    UNSEEN,
    (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}⟩`,
  );
}
