package io.weir.server.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The files of the dashboard, and nothing else. */
class AssetsTest {
  private static final String RULES = "rules: [ { name: a, limit: 1 per hour } ]";

  private final Admin admin = new Admin(RULES);

  @AfterEach
  void close() {
    admin.close();
  }

  @Test
  void pageHasSecurityHeaders() {
    assertThat(admin.send("GET /"))
        .startsWith("HTTP/1.1 200 ")
        .containsIgnoringCase("content-type: text/html; charset=utf-8\r\n")
        .containsIgnoringCase("cache-control: no-cache\r\n")
        .containsIgnoringCase("x-content-type-options: nosniff\r\n")
        .containsIgnoringCase("referrer-policy: no-referrer\r\n")
        .containsIgnoringCase(
            "content-security-policy: default-src 'none'; script-src 'self'; style-src 'self';"
                + " img-src 'self' data:; connect-src 'self'; font-src 'self'; base-uri 'none';"
                + " form-action 'none'; frame-ancestors 'none'\r\n")
        .contains("<!DOCTYPE html>");
  }

  @Test
  void everyFileIsServedAsWhatItIs() {
    for (String name : Assets.files()) {
      String response = admin.send("GET /assets/" + name);
      assertThat(response).as(name).startsWith("HTTP/1.1 200 ");
      assertThat(response.split("\r\n\r\n", 2)[0])
          .as(name)
          .containsIgnoringCase("content-security-policy: default-src 'none'; ")
          .containsIgnoringCase("etag: \"");
      if (name.endsWith(".js")) {
        assertThat(response).containsIgnoringCase("content-type: text/javascript; charset=utf-8");
      }
    }
  }

  /** A new file needs an entry in the list, because a jar cannot list its files. */
  @Test
  void theListIsThatOfTheFiles() throws Exception {
    Path place = Path.of("src/main/resources/io/weir/server/dashboard");
    try (Stream<Path> files = Files.walk(place)) {
      List<String> there =
          files
              .filter(Files::isRegularFile)
              .map(file -> place.relativize(file).toString().replace('\\', '/'))
              .filter(name -> !name.equals("files.txt"))
              .toList();
      assertThat(Assets.files()).containsExactlyInAnyOrderElementsOf(there);
    }
  }

  @Test
  void sendsNotModifiedForKnownTag() {
    String first = admin.send("GET /");
    String tag = first.replaceAll("(?is).*\\netag: (\"[0-9a-f]+\").*", "$1");
    assertThat(admin.send("GET /", "If-None-Match: " + tag))
        .startsWith("HTTP/1.1 304 ")
        .containsIgnoringCase("etag: " + tag)
        .endsWith("\r\n\r\n");
    assertThat(admin.send("GET /", "If-None-Match: \"other\"")).startsWith("HTTP/1.1 200 ");
    assertThat(admin.send("HEAD /"))
        .startsWith("HTTP/1.1 200 ")
        .containsIgnoringCase("content-length: " + Admin.body(first).getBytes().length)
        .endsWith("\r\n\r\n");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "/assets/",
        "/assets",
        "/assets/files.txt",
        "/assets/../openapi.yaml",
        "/assets/..%2fopenapi.yaml",
        "/assets/%2e%2e/openapi.yaml",
        "/assets//index.html",
        "/assets/./index.html",
        "/assets/index.html/",
        "/assets/INDEX.HTML",
        "/assets/io/weir/server/demo.yaml",
        "/index.html",
        "//",
      })
  void servesNoOtherFiles(String path) {
    assertThat(admin.send("GET " + path)).startsWith("HTTP/1.1 404 ");
  }

  @Test
  void assetsRevealNothingAndNeedNoToken() {
    try (Admin guarded = new Admin(RULES, "memory", Optional.of("s3cret"))) {
      assertThat(guarded.sendTo("weir.example", "GET /")).startsWith("HTTP/1.1 200 ");
      assertThat(guarded.send("GET /v1/rules")).startsWith("HTTP/1.1 401 ");
    }
    assertThat(admin.sendTo("evil.example", "GET /")).startsWith("HTTP/1.1 403 ");
    assertThat(admin.sendTo("evil.example", "GET /assets/" + Assets.files().get(0)))
        .startsWith("HTTP/1.1 403 ");
    assertThat(admin.send("POST /")).startsWith("HTTP/1.1 405 ");
  }
}
