package io.weir.servlet;

import io.weir.rig.Program;
import jakarta.servlet.ServletContainerInitializer;
import jakarta.servlet.ServletContext;
import jakarta.servlet.ServletException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.startup.Tomcat;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.descriptor.web.ErrorPage;
import org.eclipse.jetty.ee11.servlet.ErrorPageErrorHandler;
import org.eclipse.jetty.ee11.servlet.ServletContextHandler;
import org.eclipse.jetty.http2.server.HTTP2CServerConnectionFactory;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.jspecify.annotations.Nullable;

/** The servlet containers that the filter is tested in, as they are out of the box. */
enum Container {
  JETTY {
    @Override
    Running start(String path, @Nullable Path files, SetUp application) throws Exception {
      InetSocketAddress loopback = new InetSocketAddress("127.0.0.1", 0);
      Server server = new Server();
      HttpConfiguration configuration = new HttpConfiguration();
      ServerConnector connector =
          new ServerConnector(
              server,
              new HttpConnectionFactory(configuration),
              new HTTP2CServerConnectionFactory(configuration));
      connector.setHost(loopback.getHostString());
      server.addConnector(connector);
      ServletContextHandler context = new ServletContextHandler(path.isEmpty() ? "/" : path);
      context.addServletContainerInitializer(application.asInitializer());
      if (files != null) {
        context.setBaseResourceAsPath(files);
      }
      ErrorPageErrorHandler errors = new ErrorPageErrorHandler();
      errors.addErrorPage(TEAPOT, ERROR_PAGE);
      context.setErrorHandler(errors);
      server.setHandler(context);
      server.start();
      return new Running(connector.getLocalPort(), server::stop);
    }
  },

  TOMCAT {
    @Override
    Running start(String path, @Nullable Path files, SetUp application) throws Exception {
      Path base = Program.directory("tomcat");
      Tomcat tomcat = new Tomcat();
      tomcat.setBaseDir(base.toString());
      tomcat.setPort(0);
      tomcat.getConnector().setProperty("address", "127.0.0.1");
      tomcat.getConnector().addUpgradeProtocol(new Http2Protocol());
      Context context = tomcat.addContext(path, files == null ? null : files.toString());
      context.addServletContainerInitializer(application.asInitializer(), Set.of());
      ErrorPage errors = new ErrorPage();
      errors.setErrorCode(TEAPOT);
      errors.setLocation(ERROR_PAGE);
      context.addErrorPage(errors);
      tomcat.start();
      Running running =
          new Running(
              tomcat.getConnector().getLocalPort(),
              () -> {
                tomcat.stop();
                tomcat.destroy();
              });
      if (context.getState() != LifecycleState.STARTED) {
        running.close();
        throw new IllegalStateException("the application did not start");
      }
      return running;
    }
  };

  /** A status for which the container shows a page of the application. */
  static final int TEAPOT = 418;

  static final String ERROR_PAGE = "/oops";

  private static final Logger NOISE = Logger.getLogger("org.apache");

  static {
    NOISE.setLevel(Level.SEVERE);
  }

  /** Starts an application at the root. */
  Running start(SetUp application) throws Exception {
    return start("", null, application);
  }

  /**
   * Starts an application; it listens when this returns.
   *
   * @param path of the context: empty, or such as {@code /shop}
   * @param files where the application is unpacked; null: it has no files
   */
  abstract Running start(String path, @Nullable Path files, SetUp application) throws Exception;

  /** What an application is made of. */
  interface SetUp {
    void into(ServletContext context) throws ServletException;

    default ServletContainerInitializer asInitializer() {
      return (classes, context) -> into(context);
    }
  }

  /** An application that listens. */
  record Running(int port, Stop stop) implements AutoCloseable {
    interface Stop {
      void now() throws Exception;
    }

    @Override
    public void close() throws Exception {
      stop.now();
    }
  }
}
