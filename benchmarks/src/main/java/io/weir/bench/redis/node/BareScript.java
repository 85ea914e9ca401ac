package io.weir.bench.redis.node;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;

/** The smallest script that implements a token bucket, as a reference for ours. */
public final class BareScript {
  private BareScript() {}

  /** The script. */
  public static byte[] text() {
    try (InputStream in = BareScript.class.getResourceAsStream("/io/weir/bench/redis/bare.lua")) {
      if (in == null) {
        throw new IllegalStateException("no bare.lua");
      }
      return in.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
