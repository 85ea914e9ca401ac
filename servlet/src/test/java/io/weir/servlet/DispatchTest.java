package io.weir.servlet;

import static org.assertj.core.api.Assertions.assertThat;

import jakarta.servlet.AsyncContext;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.util.EnumSet;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** However often the container dispatches a request, it is charged once. */
@ParameterizedClass
@EnumSource(Container.class)
class DispatchTest {
  private static final String HUNDRED =
      "rules: [ { name: all, limit: { algorithm: fixed-window, rate: 100 per day } } ]";

  private final Container container;
  private final AtomicReference<Throwable> thrown = new AtomicReference<>();
  private Container.Running app;

  DispatchTest(Container container) {
    this.container = container;
  }

  @BeforeEach
  void start() throws Exception {
    app = container.start(this::setUp);
  }

  private void setUp(ServletContext context) {
    Application.add(context, "first", recorder());
    Application.add(
        context, "weir", Application.filter(HUNDRED), EnumSet.allOf(DispatcherType.class));
    Application.serve(
        context, "/plain", (request, response) -> response.getWriter().write("plain"));
    Application.serve(
        context, Container.ERROR_PAGE, (request, response) -> response.getWriter().write("oops"));
    Application.serve(
        context,
        "/forward",
        (request, response) -> request.getRequestDispatcher("/plain").forward(request, response));
    Application.serve(
        context,
        "/include",
        (request, response) -> request.getRequestDispatcher("/plain").include(request, response));
    Application.serve(
        context, "/error", (request, response) -> response.sendError(Container.TEAPOT));
    Application.serve(
        context,
        "/async-elsewhere",
        (request, response) -> request.startAsync().dispatch("/plain"));
    Application.serve(
        context,
        "/async-again",
        (request, response) -> {
          if (request.getDispatcherType() == DispatcherType.ASYNC) {
            response.getWriter().write("again");
          } else {
            request.startAsync().dispatch();
          }
        });
    Application.serve(
        context,
        "/async-complete",
        (request, response) -> {
          AsyncContext async = request.startAsync();
          async.start(
              () -> {
                try {
                  response.getWriter().write("complete");
                } catch (java.io.IOException e) {
                  throw new java.io.UncheckedIOException(e);
                }
                async.complete();
              });
        });
    Application.serve(
        context, "/async-timeout", (request, response) -> request.startAsync().setTimeout(20));
    Application.serve(
        context,
        "/throws",
        (request, response) -> {
          throw new IllegalStateException("thrown on purpose");
        });
    Application.serve(
        context,
        "/throws-error",
        (request, response) -> {
          throw new AssertionError("thrown on purpose");
        });
  }

  private Filter recorder() {
    return (request, response, chain) -> {
      try {
        chain.doFilter(request, response);
      } catch (ServletException | RuntimeException | Error e) {
        // What a servlet throws that is no exception, Tomcat itself wraps.
        thrown.set(e instanceof ServletException ? e.getCause() : e);
        throw e;
      }
    };
  }

  @AfterEach
  void stop() throws Exception {
    app.close();
  }

  @ParameterizedTest
  @CsvSource({
    "/plain, 200, plain",
    "/forward, 200, plain",
    "/include, 200, plain",
    "/error, 418, oops",
    "/async-elsewhere, 200, plain",
    "/async-again, 200, again",
    "/async-complete, 200, complete",
    "/async-timeout, 500, ''",
    "/throws, 500, ''",
    "/throws-error, 500, ''",
  })
  void isChargedOnce(String path, int status, String body) throws Exception {
    RawConnection.Response response = RawConnection.get(app.port(), path);
    assertThat(response.status()).isEqualTo(status);
    assertThat(response.body()).contains(body);
    assertThat(RawConnection.get(app.port(), "/plain").header("X-RateLimit-Remaining"))
        .isEqualTo("98");
  }

  @Test
  void passesExceptionsOfTheApplicationOn() throws Exception {
    RawConnection.get(app.port(), "/throws");
    assertThat(thrown.get()).isExactlyInstanceOf(IllegalStateException.class);
    RawConnection.get(app.port(), "/throws-error");
    assertThat(thrown.get()).isExactlyInstanceOf(AssertionError.class);
  }
}
