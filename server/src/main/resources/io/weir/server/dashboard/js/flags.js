// What deserves attention about a rule, in words.

const FLAGS = {
  never_matches: ["Never matches", "No request matched this rule in the last hour.", ""],
  never_refuses: [
    "Never refuses",
    "In force for a day or more, it has allowed everything: perhaps the limit is too wide to protect anything.",
    "",
  ],
  refuses_many: [
    "Refuses many",
    "More than 5 % of its callers were refused: perhaps the limit is too narrow.",
    "warn",
  ],
  overflowing: [
    "Table overflows",
    "There are more callers than max_keys: the rest share one bucket.",
    "bad",
  ],
  failing: ["Store fails", "In the last minute it decided without the store.", "bad"],
};

const OF_SHADOW_RULES = {
  refuses_many: [
    "Would refuse many",
    "More than 5 % of its callers would be refused: perhaps the limit is too narrow.",
    "warn",
  ],
};

/** Short words, a sentence, and how bad it is. */
export function flag(name, isShadow = false) {
  const [words, why, kind] = (isShadow && OF_SHADOW_RULES[name]) || FLAGS[name] || [name, "", ""];
  return { words, why, kind };
}
