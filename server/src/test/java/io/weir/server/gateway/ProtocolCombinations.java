package io.weir.server.gateway;

import io.vertx.core.Handler;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.http.HttpClientRequest;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import java.net.URI;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.params.provider.Arguments;

/** Every inbound with every outbound protocol. */
final class ProtocolCombinations {
  /** Rules for tests that use all combinations. */
  static final String ALL = "io.weir.server.gateway.ProtocolCombinations#all";

  static final String UNLIMITED = "rules: [ { name: all, limit: 1000000 per second } ]";

  private static final List<HttpVersion> IN = List.of(HttpVersion.HTTP_1_1, HttpVersion.HTTP_2);

  /** To a server without HTTP/2. */
  static final String HTTPS_1 = "https/1.1";

  static final String HTTPS_2 = "https/2";

  private static final List<String> OUT = List.of("http", "h2c", HTTPS_1, HTTPS_2);

  private ProtocolCombinations() {}

  static Stream<Arguments> all() {
    return IN.stream().flatMap(in -> OUT.stream().map(out -> Arguments.of(in, out)));
  }

  /** All of them with each of these. */
  static Stream<Arguments> with(Object... each) {
    return all()
        .flatMap(way -> Stream.of(each).map(one -> Arguments.of(way.get()[0], way.get()[1], one)));
  }

  static GatewayFixture before(String out, Handler<HttpServerRequest> server) {
    return new GatewayFixture.Builder(UNLIMITED).server(out, server).build();
  }

  /** Before a server with or without TLS. */
  static GatewayFixture before(URI server) {
    return new GatewayFixture.Builder(UNLIMITED)
        .upstream(server)
        .settings(to -> to.forwarding().ca(TlsSockets.AUTHORITY.certificate()))
        .build();
  }

  /** Announces the length of the body, or not. */
  static void frame(HttpClientRequest request, boolean withLength, long size) {
    if (withLength) {
      request.putHeader("Content-Length", Long.toString(size));
    } else {
      request.setChunked(true);
    }
  }

  static Buffer random(int size) {
    byte[] bytes = new byte[size];
    new Random(size).nextBytes(bytes);
    return Buffer.buffer(bytes);
  }

  static String hash(Buffer body) {
    return hash(body, 1);
  }

  /** The hash of a part that is repeated. */
  static String hash(Buffer part, int times) {
    MessageDigest digest = digest();
    for (int i = 0; i < times; i++) {
      digest.update(part.getBytes());
    }
    return text(digest);
  }

  static String text(MessageDigest digest) {
    return HexFormat.of().formatHex(digest.digest());
  }

  static MessageDigest digest() {
    try {
      return MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }
}
