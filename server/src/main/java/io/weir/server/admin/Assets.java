package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpHeaders;
import io.vertx.core.http.HttpServerRequest;
import io.weir.rules.http.Header;
import io.weir.server.http.HttpResponses;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The files of the dashboard: the page at {@code /}, all others below {@code /assets/}.
 *
 * <p>{@code files.txt} lists them all. A path is only looked up in that list and never turned into
 * a file name, so path traversal is impossible. Each file is read at its first request, and kept: a
 * server without dashboard visits holds none of it.
 */
final class Assets {
  /** The path prefix of the files, as in the route. */
  static final String PREFIX = "/assets/";

  private static final String PLACE = "/io/weir/server/dashboard/";
  private static final String PAGE = "index.html";

  /** Only scripts, styles, pictures and fonts of this origin; no frames. */
  private static final String POLICY =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:;"
          + " connect-src 'self'; font-src 'self'; base-uri 'none'; form-action 'none';"
          + " frame-ancestors 'none'";

  private static final Map<String, String> TYPES =
      Map.of(
          "html", "text/html; charset=utf-8",
          "css", "text/css; charset=utf-8",
          "js", "text/javascript; charset=utf-8",
          "mjs", "text/javascript; charset=utf-8",
          "json", "application/json",
          "svg", "image/svg+xml",
          "png", "image/png",
          "ico", "image/x-icon",
          "woff2", "font/woff2",
          "txt", "text/plain; charset=utf-8");

  private final Map<String, String> names =
      files().stream().collect(Collectors.toUnmodifiableMap(name -> name, Assets::type));
  private final Map<String, Asset> read = new ConcurrentHashMap<>();

  /** Sends the page. */
  void page(HttpServerRequest request) {
    send(request, PAGE);
  }

  /** Sends another file. */
  void file(HttpServerRequest request) {
    String path = String.valueOf(request.path());
    send(request, path.startsWith(PREFIX) ? path.substring(PREFIX.length()) : "");
  }

  private void send(HttpServerRequest request, String name) {
    String type = names.get(name);
    if (type == null) {
      HttpResponses.send(request, HttpResponses.error(404, "not_found", "there is no such file"));
      return;
    }
    Asset asset = read.computeIfAbsent(name, any -> new Asset(type, bytes(name)));
    if (asset.isKnownTo(request.getHeader(HttpHeaders.IF_NONE_MATCH))) {
      HttpResponses.send(request, 304, asset.headers, Buffer.buffer());
    } else {
      HttpResponses.send(request, 200, asset.headers, Buffer.buffer(asset.content));
    }
  }

  /** The names of all files, relative to the dashboard's directory. */
  static List<String> files() {
    return new String(bytes("files.txt"), UTF_8).lines().filter(line -> !line.isBlank()).toList();
  }

  private static String type(String name) {
    String type = TYPES.get(name.substring(name.lastIndexOf('.') + 1));
    if (type == null) {
      throw new IllegalStateException("unknown content type of file " + name + " is");
    }
    return type;
  }

  private static byte[] bytes(String name) {
    try (InputStream file = Assets.class.getResourceAsStream(PLACE + name)) {
      if (file == null) {
        throw new IllegalStateException(PLACE + name + " is not on the class path");
      }
      return file.readAllBytes();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** A file that was read. */
  private static final class Asset {
    private final byte[] content;
    private final String tag;
    private final List<Header> headers;

    Asset(String type, byte[] bytes) {
      content = bytes;
      tag = '"' + digest(bytes) + '"';
      headers =
          List.of(
              new Header("Content-Type", type),
              new Header("Cache-Control", "no-cache"),
              new Header("ETag", tag),
              new Header("Referrer-Policy", "no-referrer"),
              new Header("Content-Security-Policy", POLICY));
    }

    /** Whether a browser already has it, by the entity tags that it sends. */
    boolean isKnownTo(@Nullable String tags) {
      return tags != null && (tags.contains(tag) || tags.strip().equals("*"));
    }

    private static String digest(byte[] bytes) {
      try {
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(bytes);
        return HexFormat.of().formatHex(hash, 0, 16);
      } catch (NoSuchAlgorithmException e) {
        throw new IllegalStateException(e); // every Java runtime has SHA-256
      }
    }
  }
}
