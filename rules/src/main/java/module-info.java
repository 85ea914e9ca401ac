/** Rules in files: which limits apply to a request, and under which key. */
module io.weir.rules {
  requires transitive io.weir;
  requires static org.jspecify;
  requires org.snakeyaml.engine;

  exports io.weir.rules;
  exports io.weir.rules.envoy;
  exports io.weir.rules.file;
  exports io.weir.rules.http;
  exports io.weir.rules.match;
  exports io.weir.rules.text to
      io.weir.rules.tools;
  exports io.weir.rules.yaml to
      io.weir.rules.tools;
}
