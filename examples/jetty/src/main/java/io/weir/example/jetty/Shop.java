package io.weir.example.jetty;

import io.weir.decision.RuleSource;
import io.weir.runtime.Node;
import io.weir.servlet.WeirFilter;
import jakarta.servlet.DispatcherType;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import org.eclipse.jetty.ee11.servlet.FilterHolder;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;

/**
 * A shop that limits its callers.
 *
 * <pre>{@code java -jar weir-example-jetty.jar [PORT [RULES [STORE]]]}</pre>
 */
public final class Shop {
  private Shop() {}

  /** Serves until it is stopped. */
  public static void main(String[] args) throws Exception {
    int port = args.length > 0 ? Integer.parseInt(args[0]) : 8080;
    Path rules = Path.of(args.length > 1 ? args[1] : "rules.yaml");
    String store = args.length > 2 ? args[2] : "memory";

    Node node = Node.builder(RuleSource.of(List.of(rules))).store(store).open();
    FilterHolder weir = new FilterHolder(WeirFilter.builder(node).closesNode().build());
    weir.setAsyncSupported(true);

    ServletContextHandler shop = new ServletContextHandler("/");
    shop.addFilter(weir, "/*", EnumSet.of(DispatcherType.REQUEST));
    shop.addServlet(new Shelf(), "/*");

    Server server = new Server();
    ServerConnector connector = new ServerConnector(server);
    connector.setHost("127.0.0.1");
    connector.setPort(port);
    server.addConnector(connector);
    server.setHandler(shop);
    server.setStopAtShutdown(true);
    server.start();
    System.out.println("the shop is open at http://127.0.0.1:" + connector.getLocalPort());
    server.join();
  }

  /** Responds to every request. */
  private static final class Shelf extends HttpServlet {
    private static final long serialVersionUID = 1;

    @Override
    protected void service(HttpServletRequest request, HttpServletResponse response)
        throws IOException {
      response.setContentType("text/plain");
      response.getWriter().println("welcome");
    }
  }
}
