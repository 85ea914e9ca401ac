package io.weir.servlet;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.runtime.Node;
import jakarta.servlet.DispatcherType;
import java.net.InetSocketAddress;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicReference;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Filters that end and begin again, and responses that others have begun. */
class FilterLifecycleTest {
  private static final String TWO =
      "rules: [ { name: all, limit: { algorithm: fixed-window, rate: 2 per day } } ]";

  private static Server jetty(WeirFilter filter) {
    Server server = new Server(new InetSocketAddress("127.0.0.1", 0));
    ServletContextHandler context = new ServletContextHandler("/");
    context.addFilter(new FilterHolder(filter), "/*", EnumSet.of(DispatcherType.REQUEST));
    server.setHandler(context);
    return server;
  }

  private static String left(Server server) throws Exception {
    int port = ((ServerConnector) server.getConnectors()[0]).getLocalPort();
    return RawConnection.get(port, "/").header("X-RateLimit-Remaining");
  }

  @Test
  void restartedContainerLimitsAgain() throws Exception {
    try (Node node = Application.node(TWO)) {
      Server server = jetty(WeirFilter.builder(node).build());
      server.start();
      assertThat(left(server)).isEqualTo("1");
      server.stop();
      server.start();
      assertThat(left(server)).isEqualTo("0");
      server.stop();
    }
  }

  @Test
  void doesNotRestartWithClosedNode() throws Exception {
    Server server = jetty(Application.filter(TWO));
    server.start();
    server.stop();
    assertThatThrownBy(server::start).hasStackTraceContaining("its node is closed");
    server.stop();
  }

  @ParameterizedTest
  @EnumSource
  void filterThatWasNeverInitializedFails(Container container) throws Exception {
    WeirFilter filter = new WeirFilter();
    filter.destroy();
    filter.destroy();
    try (Container.Running app =
        container.start(
            Application.echo(
                (request, response, chain) -> filter.doFilter(request, response, chain)))) {
      assertThat(RawConnection.get(app.port(), "/").status()).isEqualTo(500);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "JETTY, writer",
    "TOMCAT, writer",
    "JETTY, stream",
    "TOMCAT, stream",
    "JETTY, commit",
    "TOMCAT, commit",
  })
  void refusalDoesNotMixWithOutputOfEarlierFilter(Container container, String how)
      throws Exception {
    AtomicReference<Throwable> thrown = new AtomicReference<>();
    Container.SetUp application =
        context -> {
          Application.add(
              context,
              "before",
              (request, response, chain) -> {
                response.setCharacterEncoding("UTF-16");
                if (how.equals("stream")) {
                  response.getOutputStream().write(1);
                } else {
                  response.getWriter().write("begun");
                }
                if (how.equals("commit")) {
                  response.flushBuffer();
                }
                try {
                  chain.doFilter(request, response);
                } catch (Exception | Error e) {
                  thrown.set(e);
                }
              });
          Application.add(context, "weir", Application.filter(TWO.replace("2 per", "0 per")));
          Application.serve(context, "/*", (request, response) -> response.setStatus(204));
        };
    try (Container.Running app = container.start(application)) {
      RawConnection.Response refused = RawConnection.get(app.port(), "/");
      assertThat(thrown.get()).isNull();
      if (how.equals("commit")) {
        assertThat(refused.status()).isEqualTo(200);
        return;
      }
      assertThat(refused.status()).isEqualTo(429);
      assertThat(refused.body().replace("\0", ""))
          .doesNotContain("begun")
          .contains("{\"error\":\"rate_limit_exceeded\"")
          .endsWith("}");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "JETTY, HEAD, /", "TOMCAT, HEAD, /", "JETTY, OPTIONS, /", "TOMCAT, OPTIONS, /",
    "JETTY, OPTIONS, *", "TOMCAT, OPTIONS, *", "JETTY, get, /", "TOMCAT, get, /",
    "JETTY, TRACE, /", "TOMCAT, TRACE, /",
  })
  void limitsEveryMethod(Container container, String method, String target) throws Exception {
    WeirFilter filter = Application.filter(TWO.replace("2 per", "0 per"));
    try (Container.Running app = container.start(Application.echo(filter))) {
      RawConnection.Response response = RawConnection.send(app.port(), method, target);
      assertThat(response.body()).doesNotContain("served");
      if (response.status() == 200) {
        assertThat(target).as("answered by the container itself").isEqualTo("*");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void chunkedBodyWithTrailersIsLeftToTheApplication(Container container) throws Exception {
    Container.SetUp application =
        context -> {
          Application.add(context, "weir", Application.filter(TWO));
          Application.serve(
              context,
              "/*",
              (request, response) -> {
                String body = new String(request.getInputStream().readAllBytes(), UTF_8);
                response.getWriter().write(body + request.getTrailerFields());
              });
        };
    try (Container.Running app = container.start(application);
        RawConnection rawConnection = new RawConnection(app.port())) {
      rawConnection.send(
          "POST / HTTP/1.1\r\nHost: a\r\nTrailer: x-sum\r\nTransfer-Encoding: chunked\r\n\r\n"
              + "4\r\nbody\r\n0\r\nx-sum: 1\r\n\r\n");
      RawConnection.Response served = rawConnection.receive(false);
      assertThat(served.body()).startsWith("body{");
      assertThat(served.header("X-RateLimit-Remaining")).isEqualTo("1");
    }
  }

  @ParameterizedTest
  @EnumSource
  void limitsKeyOfMaximumLength(Container container) throws Exception {
    String rules =
        """
        attributes: { key: { header: X-Key } }
        rules: [ { name: all, per: key, limit: { algorithm: fixed-window, rate: 1 per day } } ]
        """;
    try (Container.Running app = container.start(Application.echo(Application.filter(rules)))) {
      String key = "X-Key: " + "k".repeat(7000);
      assertThat(RawConnection.get(app.port(), "/", key).status()).isEqualTo(200);
      assertThat(RawConnection.get(app.port(), "/", key).status()).isEqualTo(429);
      assertThat(RawConnection.get(app.port(), "/", key + "x").status()).isEqualTo(200);
    }
  }
}
