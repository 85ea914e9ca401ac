package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.rig.Logged;
import io.weir.rules.match.MalformedRequestException;
import io.weir.rules.match.Network;
import jakarta.servlet.Filter;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletRequestWrapper;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.provider.EnumSource;

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
    return Wire.get(app.port(), "/", headers).header("X-RateLimit-Remaining");
  }

  @Test
  void nobodyIsBelievedUnlessTrusted() throws Exception {
    try (Container.Running app = start(PER_IP, as -> as)) {
      assertThat(left(app, "X-Forwarded-For: 1.1.1.1")).isEqualTo("9");
      assertThat(left(app, "X-Forwarded-For: 2.2.2.2")).isEqualTo("8");
    }
  }

  @Test
  void aTrustedProxyIsBelievedAndWhatItsClientForgedIsNot() throws Exception {
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

  /** Believes whatever a header says of the address. */
  private static final Filter BELIEVING =
      (request, response, chain) ->
          chain.doFilter(
              new HttpServletRequestWrapper((HttpServletRequest) request) {
                @Override
                public String getRemoteAddr() {
                  return getHeader("X-Forwarded-For");
                }
              },
              response);

  private Container.Running startBehindBelieving(UnaryOperator<WeirFilter.Builder> as)
      throws Exception {
    return container.start(
        context -> {
          Application.add(context, "believing", BELIEVING);
          Application.echo(Application.filter(PER_IP, as)).into(context);
        });
  }

  @Test
  void whoHasNoAddressThatCanBeReadIsLimited() throws Exception {
    try (Container.Running app = startBehindBelieving(as -> as)) {
      assertThat(left(app, "X-Forwarded-For: nonsense")).isEqualTo("9");
      assertThat(left(app, "X-Forwarded-For: more nonsense")).isEqualTo("8");
      assertThat(left(app)).isEqualTo("7");
    }
  }

  @Test
  void aRequestMayBeJudgedAsItWasReceived() throws Exception {
    try (Container.Running app =
        startBehindBelieving(
            as ->
                as.received(
                    request ->
                        (HttpServletRequest) ((HttpServletRequestWrapper) request).getRequest()))) {
      assertThat(left(app, "X-Forwarded-For: 1.1.1.1")).isEqualTo("9");
      assertThat(left(app, "X-Forwarded-For: 2.2.2.2")).isEqualTo("8");
    }
  }

  @Test
  void whatTheApplicationSaysGoesBeforeWhatIsSent() throws Exception {
    try (Container.Running app =
        start(PER_USER, as -> as.attribute("user", request -> request.getHeader("X-Login")))) {
      assertThat(left(app, "X-Login: ann")).isEqualTo("9");
      assertThat(left(app, "X-Login: ann", "X-User: bob")).isEqualTo("8");
      assertThat(left(app, "X-Login: bob")).isEqualTo("9");
      assertThat(left(app, "X-User: ann")).as("nobody has logged in").isNull();
    }
  }

  @Test
  void theBodyOfAFormIsLeftToTheApplication() throws Exception {
    String rules =
        """
        attributes: { text: { query: text } }
        rules: [ { name: text, per: text, limit: { algorithm: fixed-window, rate: 10 per day } } ]
        """;
    try (Container.Running app = start(rules, as -> as);
        Wire wire = new Wire(app.port())) {
      wire.send(
          "POST / HTTP/1.1\r\nHost: a\r\nContent-Type: application/x-www-form-urlencoded\r\n"
              + "Content-Length: 8\r\n\r\ntext=yes");
      Wire.Response response = wire.receive(false);
      assertThat(response.body()).isEqualTo("yes");
      assertThat(response.header("X-RateLimit-Limit")).isNull();
      assertThat(Wire.get(app.port(), "/?text=no").header("X-RateLimit-Remaining")).isEqualTo("9");
    }
  }

  @Test
  void theApplicationMaySayThatARequestIsMalformed() throws Exception {
    try (Container.Running app =
        start(
            PER_USER,
            as ->
                as.attribute(
                    "user",
                    request -> {
                      throw new MalformedRequestException("this token is none");
                    }))) {
      Wire.Response response = Wire.get(app.port(), "/");
      assertThat(response.status()).isEqualTo(400);
      assertThat(response.body())
          .isEqualTo("{\"error\":\"bad_request\",\"message\":\"this token is none\"}");
    }
  }

  /** As a mistake in Weir itself would be. */
  @Test
  void whatGoesWrongDoesNotTakeTheApplicationDown() throws Exception {
    try (Logged log = new Logged("io.weir.front");
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
        assertThat(Wire.get(app.port(), "/?text=ok").body()).isEqualTo("ok");
      }
      assertThat(log.lines())
          .containsExactly("SEVERE a request could not be judged, and goes on without limits");
    }
  }
}
