package io.weir.servlet;

import static java.nio.file.StandardCopyOption.REPLACE_EXISTING;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.weir.rig.Await;
import io.weir.rig.RedisProcess;
import io.weir.rig.SharedRedis;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.catalina.Context;
import org.apache.catalina.LifecycleState;
import org.apache.catalina.startup.Tomcat;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * An application as it is unpacked below {@code webapps}: pages, {@code WEB-INF/web.xml}, and Weir
 * among its own libraries, of which the container knows nothing.
 */
@Tag("slow")
@Timeout(120)
class WebXmlTest {
  private static final Pattern LIBRARIES =
      Pattern.compile(
          ".*(/(core|rules|runtime|insight|servlet|redis)/target/classes"
              + "|weir-(core|rules|runtime|insight|servlet|redis)-[^/]*jar"
              + "|/(snakeyaml|lettuce|netty|reactor|reactive|redis-authx)[^/]*jar)/?");

  @TempDir(cleanup = CleanupMode.ALWAYS)
  private Path directory;

  private final Tomcat tomcat = new Tomcat();

  @BeforeEach
  void start() throws Exception {
    tomcat.setBaseDir(directory.resolve("base").toString());
    tomcat.setPort(0);
    tomcat.getConnector().setProperty("address", "127.0.0.1");
    tomcat.setAddDefaultWebXmlToWebapp(false);
    tomcat.start();
  }

  @AfterEach
  void stop() throws Exception {
    tomcat.stop();
    tomcat.destroy();
  }

  private int port() {
    return tomcat.getConnector().getLocalPort();
  }

  /** Shows an application what is the container's, as its own directory of libraries does. */
  private static final class OfContainer extends ClassLoader {
    OfContainer() {
      super(ClassLoader.getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith("jakarta.") || name.startsWith("org.apache.")) {
        return WebXmlTest.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }

  private Context deploy(Map<String, String> parameters) throws IOException {
    Path shop = directory.resolve("shop");
    Path inside = Files.createDirectories(shop.resolve("WEB-INF"));
    Files.writeString(shop.resolve("index.html"), "welcome");
    Files.writeString(
        inside.resolve("rules.yaml"),
        """
        rules:
          - name: pages
            match: { path: /shop/index.html }
            per: ip
            limit: { algorithm: sliding-log, rate: 2 per day }
        """);
    Files.writeString(inside.resolve("web.xml"), descriptor(parameters));
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
      // A native library that goes with its application would take along that of this process.
      if (LIBRARIES.matcher(entry.replace('\\', '/')).matches() && !entry.contains("-native-")) {
        add(Path.of(entry), inside);
      }
    }
    Context context = tomcat.addWebapp("/shop", shop.toString());
    context.setParentClassLoader(new OfContainer());
    return context;
  }

  private static String descriptor(Map<String, String> parameters) {
    StringBuilder all = new StringBuilder();
    parameters.forEach(
        (name, value) ->
            all.append("<init-param><param-name>%s</param-name>".formatted(name))
                .append("<param-value>%s</param-value></init-param>\n".formatted(value)));
    return """
        <web-app xmlns="https://jakarta.ee/xml/ns/jakartaee" version="6.0">
          <filter>
            <filter-name>weir</filter-name>
            <filter-class>io.weir.servlet.WeirFilter</filter-class>
            <async-supported>true</async-supported>
            %s
          </filter>
          <filter-mapping>
            <filter-name>weir</filter-name>
            <url-pattern>/*</url-pattern>
          </filter-mapping>
          <servlet>
            <servlet-name>pages</servlet-name>
            <servlet-class>org.apache.catalina.servlets.DefaultServlet</servlet-class>
          </servlet>
          <servlet-mapping>
            <servlet-name>pages</servlet-name>
            <url-pattern>/</url-pattern>
          </servlet-mapping>
        </web-app>
        """
        .formatted(all);
  }

  private static void add(Path entry, Path inside) throws IOException {
    if (!Files.isDirectory(entry)) {
      Path libraries = Files.createDirectories(inside.resolve("lib"));
      Files.copy(entry, libraries.resolve(entry.getFileName()), REPLACE_EXISTING);
      return;
    }
    Path classes = inside.resolve("classes");
    try (Stream<Path> files = Files.walk(entry)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        Path to = classes.resolve(entry.relativize(file).toString());
        Files.createDirectories(to.getParent());
        Files.copy(file, to, REPLACE_EXISTING);
      }
    } catch (UncheckedIOException e) {
      throw e.getCause();
    }
  }

  @Test
  void limitsApplicationWithoutCode() throws Exception {
    Context shop =
        deploy(
            Map.of(
                "rules", "/WEB-INF/rules.yaml",
                "trusted_proxies", "127.0.0.1",
                "cors_origins", "https://page.example",
                "headers", "x-ratelimit, retry-after"));
    assertThat(shop.getState()).isEqualTo(LifecycleState.STARTED);
    for (int left = 1; left >= 0; left--) {
      RawConnection.Response served =
          RawConnection.get(port(), "/shop/index.html", "X-Forwarded-For: 1.1.1.1");
      assertThat(served.body()).isEqualTo("welcome");
      assertThat(served.header("X-RateLimit-Limit")).isEqualTo("2");
      assertThat(served.header("X-RateLimit-Remaining")).isEqualTo("" + left);
      assertThat(served.header("RateLimit")).isNull();
    }
    RawConnection.Response refused =
        RawConnection.get(
            port(), "/shop/index.html", "X-Forwarded-For: 1.1.1.1", "Origin: https://page.example");
    assertThat(refused.status()).isEqualTo(429);
    assertThat(refused.body()).startsWith("{\"error\":\"rate_limit_exceeded\"");
    assertThat(refused.header("Access-Control-Allow-Origin")).isEqualTo("https://page.example");
    assertThat(RawConnection.get(port(), "/shop/index.html").status())
        .as("another caller")
        .isEqualTo(200);
    assertThat(RawConnection.get(port(), "/shop/none").header("X-RateLimit-Limit")).isNull();
  }

  /** Netty leaves something of its own in the thread that starts and ends an application. */
  @Test
  void undeployedApplicationLeavesNoThreadOrClass() throws Exception {
    FutureTask<WeakReference<ClassLoader>> visit = new FutureTask<>(this::comeAndGo);
    Thread thread = new Thread(visit);
    thread.start();
    WeakReference<ClassLoader> loader = visit.get();
    thread.join();
    Await.holds(
        "nothing knows the application's classes",
        () -> {
          clearSoftReferences();
          System.gc();
          return loader.get() == null;
        });
  }

  /**
   * From JDK 18 on, the JVM refers softly to the last record whose methods were linked. It clears
   * soft references before it refuses memory.
   */
  private static void clearSoftReferences() {
    int tooMany = Math.toIntExact(Runtime.getRuntime().maxMemory() / Long.BYTES);
    assertThatThrownBy(() -> Arrays.fill(new long[tooMany], 1))
        .isInstanceOf(OutOfMemoryError.class);
  }

  private WeakReference<ClassLoader> comeAndGo() throws Exception {
    RedisProcess redis = SharedRedis.empty();
    Context shop =
        deploy(
            Map.of(
                "rules", "/WEB-INF/rules.yaml",
                "store", redis.url() + "?connect_timeout=10s",
                "store_timeout", "10s",
                "waiting", "async"));
    assertThat(RawConnection.get(port(), "/shop/index.html").header("X-RateLimit-Remaining"))
        .isEqualTo("1");
    ClassLoader loader = shop.getLoader().getClassLoader();
    shop.stop();
    Await.holds("no thread of its is left", () -> running(loader).isEmpty());
    tomcat.getHost().removeChild(shop);
    return new WeakReference<>(loader);
  }

  private static List<String> running(ClassLoader loader) {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getContextClassLoader() == loader)
        .map(Thread::getName)
        .toList();
  }
}
