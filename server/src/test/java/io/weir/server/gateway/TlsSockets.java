package io.weir.server.gateway;

import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.vertx.core.Handler;
import io.vertx.core.Vertx;
import io.vertx.core.http.HttpServerOptions;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpVersion;
import io.vertx.core.net.PemKeyCertOptions;
import io.weir.rig.CertificateAuthority;
import io.weir.server.connection.StreamWritability;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.List;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocketFactory;

/** Servers with TLS. */
final class TlsSockets {
  /** The authority of their certificates. */
  static final CertificateAuthority AUTHORITY = new CertificateAuthority("one");

  /** One for all: each costs a pair of keys. */
  static final CertificateAuthority.Identity SERVER = AUTHORITY.issue("server");

  private static final SSLSocketFactory SOCKETS = sockets();

  private TlsSockets() {}

  private static SSLSocketFactory sockets() {
    try {
      SslContext context =
          SslContextBuilder.forServer(SERVER.certificate().toFile(), SERVER.key().toFile())
              .sslProvider(SslProvider.JDK)
              .build();
      return ((JdkSslContext) context).context().getSocketFactory();
    } catch (SSLException e) {
      throw new IllegalStateException(e);
    }
  }

  /** The TLS layer over a connection that a server has accepted. */
  static Socket over(Socket accepted) throws IOException {
    return SOCKETS.createSocket(accepted, null, true);
  }

  /**
   * A server on a free port. It echoes WebSocket messages.
   *
   * @param isHttp2 whether it supports HTTP/2 besides HTTP/1.1
   */
  static URI listen(
      Vertx vertx,
      CertificateAuthority.Identity identity,
      boolean isHttp2,
      Handler<HttpServerRequest> handler) {
    HttpServerOptions options =
        new HttpServerOptions()
            .setHost("127.0.0.1")
            .setPort(0)
            .setMaxHeaderSize(64 * 1024)
            .setSsl(true)
            .setUseAlpn(true)
            .setSslHandshakeTimeout(60)
            .setAlpnVersions(
                isHttp2
                    ? List.of(HttpVersion.HTTP_2, HttpVersion.HTTP_1_1)
                    : List.of(HttpVersion.HTTP_1_1))
            .setKeyCertOptions(
                new PemKeyCertOptions()
                    .setCertPath(identity.certificate().toString())
                    .setKeyPath(identity.key().toString()));
    var server =
        vertx
            .createHttpServer(options)
            .connectionHandler(StreamWritability::watch) // else it does not end some responses
            .webSocketHandler(socket -> socket.textMessageHandler(socket::writeTextMessage))
            .requestHandler(handler);
    return URI.create("https://localhost:" + GatewayFixture.await(server.listen()).actualPort());
  }
}
