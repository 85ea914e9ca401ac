package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The OpenAPI description of the HTTP interface. */
public final class OpenApi {
  private static final String FILE = "/io/weir/server/openapi.yaml";

  private OpenApi() {}

  /** The description, in YAML. */
  public static String text() {
    try (InputStream file = OpenApi.class.getResourceAsStream(FILE)) {
      if (file == null) {
        throw new IllegalStateException(FILE + " is not on the class path");
      }
      return new String(file.readAllBytes(), UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
