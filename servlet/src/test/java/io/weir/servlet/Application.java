package io.weir.servlet;

import io.weir.TimeSource;
import io.weir.decision.RuleSource;
import io.weir.rig.Await;
import io.weir.rules.RuleSet;
import io.weir.rules.file.Reading;
import io.weir.rules.file.RuleFiles;
import io.weir.runtime.Node;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterRegistration;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletRegistration;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.EnumSet;
import java.util.function.UnaryOperator;

/** A small application behind the filter. */
final class Application {
  private Application() {}

  static RuleSet rules(String yaml) {
    Reading reading = RuleFiles.read("rules.yaml", yaml.getBytes(StandardCharsets.UTF_8));
    return reading.rules().orElseThrow(() -> new AssertionError(reading.problems().toString()));
  }

  static Node node(String yaml) {
    return Node.builder(RuleSource.of(rules(yaml))).time(TimeSource.manual()).open();
  }

  /** A node after its remote store was reached, however long that took. */
  static Node node(String yaml, String store) {
    Node node =
        Node.builder(RuleSource.of(rules(yaml)))
            .store(store)
            .storeTimeout(Duration.ofSeconds(20))
            .open();
    Await.holds("the store is reached", () -> node.health().isWell());
    return node;
  }

  static WeirFilter filter(String yaml) {
    return filter(yaml, builder -> builder);
  }

  static WeirFilter filter(String yaml, UnaryOperator<WeirFilter.Builder> as) {
    return as.apply(WeirFilter.builder(node(yaml)).closesNode()).build();
  }

  /** Answers 200 wherever it is mapped. */
  static Container.SetUp echo(Filter filter) {
    return context -> {
      add(context, "weir", filter);
      serve(context, "/*", (request, response) -> response.getWriter().write("served"));
    };
  }

  static void add(ServletContext context, String name, Filter filter) {
    add(context, name, filter, EnumSet.of(DispatcherType.REQUEST));
  }

  static void add(
      ServletContext context, String name, Filter filter, EnumSet<DispatcherType> types) {
    FilterRegistration.Dynamic registered = context.addFilter(name, filter);
    registered.setAsyncSupported(true);
    registered.addMappingForUrlPatterns(types, true, "/*");
  }

  static void serve(ServletContext context, String pattern, Handler handler) {
    ServletRegistration.Dynamic registered =
        context.addServlet(
            "servlet of " + pattern,
            new HttpServlet() {
              private static final long serialVersionUID = 1;

              @Override
              protected void service(HttpServletRequest request, HttpServletResponse response)
                  throws IOException {
                try {
                  handler.serve(request, response);
                } catch (IOException | RuntimeException e) {
                  throw e;
                } catch (Exception e) {
                  throw new IOException(e);
                }
              }
            });
    registered.setAsyncSupported(true);
    registered.addMapping(pattern);
  }

  /** Serves a request. */
  interface Handler {
    void serve(HttpServletRequest request, HttpServletResponse response) throws Exception;
  }
}
