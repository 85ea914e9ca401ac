package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.CapturedLog;
import io.weir.rules.http.TrustedProxies;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Network;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.lang.reflect.Proxy;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.NullSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What rules see of a request. */
@ParameterizedClass
@EnumSource(Container.class)
class AttributesTest {
  private static final String PER_IP =
      "rules: [ { name: client, per: ip, limit: { algorithm: fixed-window, rate: 10 per day } } ]";
  private static final String PER_USER =
      """
      attributes: { user: { header: X-User } }
      rules: [ { name: user, per: user, limit: { algorithm: fixed-window, rate: 10 per day } } ]
      """;

  private final Container container;

  AttributesTest(Container container) {
    this.container = container;
  }

  private Container.Running start(String rules, UnaryOperator<WeirFilter.Builder> as)
      throws Exception {
    return container.start(
        context -> {
          Application.add(context, "weir", Application.filter(rules, as));
          Application.serve(
              context,
              "/*",
              (request, response) ->
                  response.getWriter().write(String.valueOf(request.getParameter("text"))));
        });
  }

  private static String left(Container.Running app, String... headers) throws Exception {
    return RawConnection.get(app.port(), "/", headers).header("X-RateLimit-Remaining");
  }

  @Test
  void ignoresForwardedAddressesOfUntrustedClients() throws Exception {
    try (Container.Running app = start(PER_IP, as -> as)) {
      assertThat(left(app, "X-Forwarded-For: 1.1.1.1")).isEqualTo("9");
      assertThat(left(app, "X-Forwarded-For: 2.2.2.2")).isEqualTo("8");
    }
  }

  @Test
  void usesTrustedProxyAndIgnoresForgedAddresses() throws Exception {
    try (Container.Running app =
        start(PER_IP, as -> as.trustedProxies(List.of(Network.parse("127.0.0.0/8"))))) {
      assertThat(left(app, "X-Forwarded-For: 1.1.1.1")).isEqualTo("9");
      assertThat(left(app, "X-Forwarded-For: 6.6.6.6, 1.1.1.1")).isEqualTo("8");
      assertThat(left(app, "X-Forwarded-For: 6.6.6.6", "X-Forwarded-For: 1.1.1.1")).isEqualTo("7");
      assertThat(left(app, "X-Forwarded-For: 6.6.6.6")).isEqualTo("9");
      assertThat(left(app, "X-Forwarded-For: 2001:db8::1")).isEqualTo("9");
      assertThat(left(app, "X-Forwarded-For: [2001:db8::2]:4711")).isEqualTo("8");
    }
  }

  /** As filters do that trust such headers from any client. */
  private static Filter believing() {
    return (request, response, chain) -> {
      HttpServletRequest http = (HttpServletRequest) request;
      chain.doFilter(
          new HttpServletRequestWrapper(http) {
            @Override
            public String getRemoteAddr() {
              return Objects.requireNonNullElse(getHeader("X-Client"), super.getRemoteAddr());
            }

            @Override
            public String getContextPath() {
              return Objects.requireNonNullElse(getHeader("X-Prefix"), super.getContextPath());
            }

            @Override
            public String getRequestURI() {
              return getContextPath() + super.getRequestURI();
            }

            @Override
            public Enumeration<String> getHeaders(String name) {
              return name.equals("X-Forwarded-For")
                  ? Collections.emptyEnumeration()
                  : super.getHeaders(name);
            }
          },
          response);
    };
  }

  @ParameterizedTest
  @CsvSource({"'', 8", "10.0.0.0/8, 8", "127.0.0.0/8, 9"})
  void earlierFilterThatTrustsEveryProxyChangesNothing(String trusted, String left)
      throws Exception {
    String rules =
        """
        rules:
          - name: login
            match: { path: /login, ip: ["127.0.0.1", "1.1.1.1"] }
            per: ip
            limit: { algorithm: fixed-window, rate: 10 per day }
        """;
    List<Network> proxies = trusted.isEmpty() ? List.of() : List.of(Network.parse(trusted));
    Container.SetUp application =
        context -> {
          Application.add(context, "forwarded", believing());
          Application.add(
              context, "weir", Application.filter(rules, as -> as.trustedProxies(proxies)));
          Application.serve(context, "/*", (request, response) -> {});
        };
    try (Container.Running app = container.start(application)) {
      RawConnection.get(app.port(), "/login");
      RawConnection.Response disguised =
          RawConnection.get(
              app.port(),
              "/login",
              "X-Client: other",
              "X-Prefix: /other",
              "X-Forwarded-For: 1.1.1.1");
      assertThat(disguised.header("X-RateLimit-Remaining")).isEqualTo(left);
    }
  }

  @ParameterizedTest
  @NullSource
  @ValueSource(strings = {"", "unknown", "_hidden", "client.example", "@", "/run/app.sock"})
  void requestsWithUnreadableAddressShareABucket(String remote) {
    HttpServletRequest request =
        (HttpServletRequest)
            Proxy.newProxyInstance(
                getClass().getClassLoader(),
                new Class<?>[] {HttpServletRequest.class},
                (self, method, arguments) ->
                    switch (method.getName()) {
                      case "getRemoteAddr" -> remote;
                      case "getMethod" -> "GET";
                      case "getRequestURI" -> "/";
                      case "getProtocol" -> "HTTP/1.1";
                      default -> null;
                    });
    ServletRequestReader reader =
        new ServletRequestReader(new TrustedProxies(List.of()), false, Map.of());
    assertThat(reader.read(request).attribute("ip")).isEqualTo("0.0.0.0");
  }

  @Test
  void applicationAttributesPrecedeRequestFields() throws Exception {
    try (Container.Running app =
        start(PER_USER, as -> as.attribute("user", request -> request.getHeader("X-Login")))) {
      assertThat(left(app, "X-Login: ann")).isEqualTo("9");
      assertThat(left(app, "X-Login: ann", "X-User: bob")).isEqualTo("8");
      assertThat(left(app, "X-Login: bob")).isEqualTo("9");
      assertThat(left(app, "X-User: ann")).as("no user has logged in").isNull();
    }
  }

  @Test
  void formBodyIsLeftToTheApplication() throws Exception {
    String rules =
        """
        attributes: { text: { query: text } }
        rules: [ { name: text, per: text, limit: { algorithm: fixed-window, rate: 10 per day } } ]
        """;
    try (Container.Running app = start(rules, as -> as);
        RawConnection rawConnection = new RawConnection(app.port())) {
      rawConnection.send(
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
              + "Content-Length: 8\r\n\r\ntext=yes");
      RawConnection.Response response = rawConnection.receive(false);
      assertThat(response.body()).isEqualTo("yes");
      assertThat(response.header("X-RateLimit-Limit")).isNull();
      assertThat(RawConnection.get(app.port(), "/?text=no").header("X-RateLimit-Remaining"))
          .isEqualTo("9");
    }
  }

  @Test
  void applicationMayRejectRequestAsMalformed() throws Exception {
    try (Container.Running app =
        start(
            PER_USER,
            as ->
                as.attribute(
                    "user",
                    request -> {
                      throw new MalformedRequestException("this token is none");
                    }))) {
      RawConnection.Response response = RawConnection.get(app.port(), "/");
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.body())
          .isEqualTo("{\"error\":\"bad_request\",\"message\":\"this token is none\"}");
    }
  }

  /** As a mistake in Weir itself would be. */
  @Test
  void applicationSurvivesFailingAttributes() throws Exception {
    try (CapturedLog log = new CapturedLog("io.weir.embedded");
        Container.Running app =
            start(
                PER_USER,
                as ->
                    as.attribute(
                        "user",
                        request -> {
                          throw new IllegalStateException("thrown on purpose");
                        }))) {
      for (int i = 0; i < 3; i++) {
        assertThat(RawConnection.get(app.port(), "/?text=ok").body()).isEqualTo("ok");
      }
      assertThat(log.lines())
          .containsExactly("SEVERE a request could not be checked and goes on without limits");
    }
  }

  /** It is unknown whether the rule applies to the request. */
  @ParameterizedTest
  @CsvSource({"deny, 429", "error, 503"})
  void failClosedRuleRefusesUndecidedRequests(String onFailure, int status) throws Exception {
    String rules = PER_USER.replace("per: user", "per: user, on_failure: " + onFailure);
    try (CapturedLog log = new CapturedLog("io.weir.embedded");
        Container.Running app =
            start(
                rules,
                as ->
                    as.attribute(
                        "user",
                        request -> {
                          throw new IllegalStateException("thrown on purpose");
                        }))) {
      RawConnection.Response response = RawConnection.get(app.port(), "/?text=ok");
      assertThat(response.status()).isEqualTo(status);
      assertThat(response.body()).contains("\"error\":\"limiter_unavailable\"");
      assertThat(response.header("Retry-After")).isEqualTo("1");
      assertThat(log.lines())
          .singleElement()
          .asString()
          .endsWith("is refused, because rule 'user' has on_failure: " + onFailure);
    }
  }
}
