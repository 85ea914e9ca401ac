package io.weir.bench.filter;

import io.weir.bench.program.RunningProgram;
import io.weir.bench.server.Checkout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The application of the benchmark, with one of the filters. */
record FilterApplications(Checkout checkout) {
  private static final String RULES =
      """
      attributes:
        api_key: { header: X-API-Key }
      rules:
        - name: client
          per: api_key
          limit: 1000000 per second
      """;

  /** The arguments after {@code java}: class path, main class and its arguments. */
  List<String> words(Contender contender, int port) throws IOException {
    Path rules = RunningProgram.newDirectory("rules").resolve("rules.yaml");
    Files.writeString(rules, RULES);
    return List.of(
        "-cp",
        checkout.springFilter(),
        "io.weir.bench.filter.app.Orders",
        "" + port,
        contender.id(),
        rules.toString());
  }
}
