/** Tools for rules: warnings, tests of rules, and replay of recorded traffic. */
module io.weir.rules.tools {
  requires transitive io.weir.rules;
  requires static org.jspecify;

  exports io.weir.rules.cases;
  exports io.weir.rules.lint;
  exports io.weir.rules.replay;
}
