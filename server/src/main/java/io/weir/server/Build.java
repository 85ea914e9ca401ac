package io.weir.server;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/** Version information recorded by the build. */
public final class Build {
  private Build() {}

  /** The version; {@code unknown} if the build has not recorded it. */
  public static String version() {
    Properties build = new Properties();
    try (InputStream in = Build.class.getResourceAsStream("build.properties")) {
      if (in != null) {
        build.load(in);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    return build.getProperty("version", "unknown");
  }
}
