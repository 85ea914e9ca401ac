package io.weir.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.ServerSettings.Secret;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Secrets in files, and variables that Kubernetes sets. */
class SecretSettingsTest {
  @TempDir private Path dir;

  @ParameterizedTest
  @ValueSource(strings = {"s3cret", "s3cret\n", "s3cret\r\n"})
  void secretIsReadFromItsFileWithoutTheEndOfTheLine(String content) throws IOException {
    Path file = secret("token", content);
    Secret expected = new Secret("s3cret");
    var byFlag = read(Map.of(Setting.ADMIN_TOKEN_FILE, List.of(file.toString())), Map.of(), null);
    assertThat(byFlag.serverSettings().orElseThrow().admin().token()).contains(expected);
    var byVariable = environment(Map.of("WEIR_SERVICE_TOKEN_FILE", file.toString()));
    assertThat(byVariable.serverSettings().orElseThrow().service().token()).contains(expected);
    Path config = Files.writeString(dir.resolve("weir.yaml"), "admin_token_file: token\n");
    var byFile = read(Map.of(), Map.of(), config);
    assertThat(byFile.serverSettings().orElseThrow().admin().token()).contains(expected);
    assertThat(byFile.files()).containsExactlyInAnyOrder(config, file);
  }

  @Test
  void storeIsReadFromItsFile() throws IOException {
    Path file = secret("store", "redis://:s3cret@localhost:6380\n");
    var result = environment(Map.of("WEIR_STORE_FILE", file.toString()));
    assertThat(result.serverSettings().orElseThrow().store())
        .isEqualTo("redis://:s3cret@localhost:6380");
    assertThat(result.settingValues().toString()).doesNotContain("s3cret");
  }

  @Test
  void credentialsOfSystemdAreFound() throws IOException {
    secret("admin_token", "s3cret-a\n");
    secret("service_token", "s3cret-b\n");
    secret("store", "redis://:s3cret@localhost\n");
    Path config = Files.writeString(dir.resolve("weir.yaml"), "admin_token: other\n");
    Map<String, String> handed = Map.of("CREDENTIALS_DIRECTORY", dir.toString());
    var serverSettings = read(Map.of(), handed, config).serverSettings().orElseThrow();
    assertThat(serverSettings.admin().token()).contains(new Secret("s3cret-a"));
    assertThat(serverSettings.service().token()).contains(new Secret("s3cret-b"));
    assertThat(serverSettings.store()).isEqualTo("redis://:s3cret@localhost");

    var flag = read(Map.of(Setting.ADMIN_TOKEN, List.of("by-flag")), handed, config);
    assertThat(flag.serverSettings().orElseThrow().admin().token()).contains(new Secret("by-flag"));
  }

  @Test
  void higherPrecedenceWinsInEitherForm() throws IOException {
    Path file = secret("token", "from-file");
    Path config = Files.writeString(dir.resolve("weir.yaml"), "admin_token_file: token\n");
    var settings = read(Map.of(), Map.of("WEIR_ADMIN_TOKEN", "from-variable"), config);
    assertThat(settings.serverSettings().orElseThrow().admin().token())
        .contains(new Secret("from-variable"));

    var both =
        environment(Map.of("WEIR_ADMIN_TOKEN", "s3cret", "WEIR_ADMIN_TOKEN_FILE", file.toString()));
    assertThat(both.problems())
        .containsExactly(
            "WEIR_ADMIN_TOKEN_FILE is set, and so is WEIR_ADMIN_TOKEN; leave one of them out");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          empty    | ''           | WEIR_ADMIN_TOKEN_FILE '%s' is empty; write the value into it
          newline  | '\\n'        | WEIR_ADMIN_TOKEN_FILE '%s' is empty; write the value into it
          two      | 's3cret\\nx' | WEIR_ADMIN_TOKEN_FILE has a blank or a character beyond ASCII, which no header can carry
          """)
  void mistakesInAFileAreClearAndShowNoSecret(String name, String content, String message)
      throws IOException {
    Path file = secret(name, content.translateEscapes());
    var result = environment(Map.of("WEIR_ADMIN_TOKEN_FILE", file.toString()));
    assertThat(result.problems()).containsExactly(message.formatted(file));
  }

  @Test
  void missingFileIsAClearError() {
    Path missing = dir.resolve("missing");
    assertThat(environment(Map.of("WEIR_ADMIN_TOKEN_FILE", missing.toString())).problems())
        .containsExactly("WEIR_ADMIN_TOKEN_FILE '" + missing + "' does not exist");
    assertThat(environment(Map.of("WEIR_ADMIN_TOKEN_FILE", dir.toString())).problems())
        .containsExactly("WEIR_ADMIN_TOKEN_FILE '" + dir + "' is not a regular file");
  }

  @Test
  void fileThatEveryUserCanReadIsAWarning() throws IOException {
    Path file = secret("token", "s3cret");
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    Map<String, String> environment = Map.of("WEIR_ADMIN_TOKEN_FILE", file.toString());
    assertThat(environment(environment).warnings()).as("the directory is private").isEmpty();

    Files.setPosixFilePermissions(dir, PosixFilePermissions.fromString("rwxr-xr-x"));
    var result = environment(environment);
    assertThat(result.serverSettings()).isPresent();
    assertThat(result.warnings())
        .singleElement()
        .asString()
        .contains("every user of this machine can read '" + file + "'; chmod o-r");
  }

  /** A Service named weir, and one named weir-admin. */
  @Test
  void variablesOfKubernetesAreIgnoredWithAWarning() {
    var result =
        environment(
            Map.of(
                "WEIR_SERVICE_HOST", "10.0.0.1",
                "WEIR_SERVICE_PORT", "9000",
                "WEIR_PORT", "tcp://10.0.0.1:9000",
                "WEIR_ADMIN_PORT", "tcp://10.0.0.2:8082"));
    assertThat(result.serverSettings()).contains(SettingsReader.DEFAULTS);
    assertThat(result.warnings())
        .containsExactlyInAnyOrder(
            "WEIR_SERVICE_PORT=9000 is ignored: Kubernetes set it for a Service named 'weir'; set"
                + " enableServiceLinks: false in the pod, or give the Service another name",
            "WEIR_ADMIN_PORT=tcp://10.0.0.2:8082 is ignored: Kubernetes set it for a Service named"
                + " 'weir-admin'; set enableServiceLinks: false in the pod, or give the Service"
                + " another name");

    var own = environment(Map.of("WEIR_SERVICE_PORT", "9000"));
    assertThat(own.serverSettings().orElseThrow().service().port()).isEqualTo(9000);
    assertThat(own.warnings()).isEmpty();
  }

  @Test
  void differencesNameTheSettingWithOldAndNewAndNoSecret() throws IOException {
    Path config = dir.resolve("weir.yaml");
    Files.writeString(
        config,
        "admin_token: s3cret-a\nstore: redis://:s3cret@h\ndrain: 60s\nmax_connections: 100\n");
    var before = read(Map.of(), Map.of(), config);
    Files.writeString(
        config,
        "admin_token: s3cret-b\nstore: redis://:s3cret2@h\ndrain: 1m\nmax_connections: 200\n"
            + "admin_port: 9000\nservice_token: s3cret-c\nrules: weir.yaml\n"
            + "routes: [ { path: /a, upstreams: 'http://127.0.0.1:9000' } ]\n");
    var after = read(Map.of(), Map.of(), config);
    assertThat(SettingChange.between(before, after))
        .extracting(each -> (each.isLive() ? "live: " : "restart: ") + each)
        .containsExactly(
            "live: rules rules of a demonstration → weir.yaml",
            "restart: store redis://h, in parts that are not shown",
            "live: max_connections 100 → 200",
            "restart: admin_port 8082 → 9000",
            "live: admin_token (not shown)",
            "restart: service_token none → (not shown)",
            "restart: routes none → 1 route");
    assertThat(SettingChange.between(after, after)).isEmpty();
  }

  private Path secret(String name, String content) throws IOException {
    return Files.writeString(dir.resolve(name), content);
  }

  private static SettingsReader.Result environment(Map<String, String> variables) {
    return read(Map.of(), variables, null);
  }

  private static SettingsReader.Result read(
      Map<Setting, List<String>> flags, Map<String, String> environment, Path config) {
    return SettingsReader.read(flags, environment, config);
  }
}
