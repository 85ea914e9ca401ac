// The outcomes of requests and of decisions: their words, and how a chart draws them.

/** Of a rule's decisions, from the bottom of a stack to its top. */
export const OUTCOMES = [
  { name: "allowed", words: "allowed", colour: "--allowed", texture: "plain" },
  { name: "delayed", words: "delayed", colour: "--delayed", texture: "upright" },
  { name: "shadow_denied", words: "would be refused", colour: "--shadow", texture: "slanted" },
  { name: "denied", words: "refused", colour: "--denied", texture: "plain" },
];

/**
 * Of requests. Those that a shadow rule would have refused were allowed, and are counted there: they
 * are a line of their own.
 */
export const REQUEST_OUTCOMES = [
  { name: "allowed", words: "allowed", colour: "--allowed", texture: "plain" },
  { name: "unmatched", words: "met no rule", colour: "--unmatched", texture: "plain" },
  { name: "delayed", words: "delayed", colour: "--delayed", texture: "upright" },
  { name: "denied", words: "refused", colour: "--denied", texture: "plain" },
  { name: "error", words: "returned 503", colour: "--error", texture: "upright" },
  {
    name: "shadow_denied",
    words: "would be refused",
    colour: "--shadow",
    texture: "slanted",
    isBeside: true,
  },
];

const KINDS = 8;

/** The colour of the nth rule of a chart; of all others together if there are more. */
export function kind(n) {
  return n < KINDS ? `--kind-${n + 1}` : "--kind-rest";
}

/** What a variable of css/colours.css is in the theme of now: a canvas knows no variables. */
export function colour(variable) {
  const probe = document.createElement("span");
  probe.style.color = `var(${variable})`;
  document.body.append(probe);
  const value = getComputedStyle(probe).color;
  probe.remove();
  return value;
}

/** What a canvas fills an area with. */
export function paint(variable, texture) {
  const ink = colour(variable);
  if (texture === "plain") {
    return ink;
  }
  const size = 8 * devicePixelRatio;
  const tile = document.createElement("canvas");
  tile.width = size;
  tile.height = size;
  const pen = tile.getContext("2d");
  if (texture === "upright") {
    pen.fillStyle = ink;
    pen.fillRect(0, 0, size, size);
    pen.fillStyle = "rgb(0 0 0 / 45%)";
    pen.fillRect(0, 0, size / 6, size);
  } else {
    pen.fillStyle = colour("--surface");
    pen.fillRect(0, 0, size, size);
    pen.strokeStyle = ink;
    pen.lineWidth = size / 3;
    for (const x of [-size, 0, size]) {
      pen.moveTo(x - size / 2, size * 1.5);
      pen.lineTo(x + size * 1.5, -size / 2);
    }
    pen.stroke();
  }
  return pen.createPattern(tile, "repeat");
}
