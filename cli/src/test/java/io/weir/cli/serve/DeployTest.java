package io.weir.cli.serve;

import static org.assertj.core.api.Assertions.assertThat;

import io.weir.server.ServerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What is in {@code deploy} and {@code docs/reference/settings.md} goes with the program. */
class DeployTest {
  private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
  private static final Path DEPLOY = ROOT.resolve("deploy");
  private static final Set<Setting> FILES =
      Set.of(
          Setting.RULES,
          Setting.ACCESS_LOG,
          Setting.UPSTREAM_CA,
          Setting.STORE_FILE,
          Setting.ADMIN_TOKEN_FILE,
          Setting.SERVICE_TOKEN_FILE,
          Setting.GATEWAY_TLS_CERT,
          Setting.GATEWAY_TLS_KEY,
          Setting.SERVICE_TLS_CERT,
          Setting.SERVICE_TLS_KEY,
          Setting.SERVICE_TLS_CLIENT_CA);

  @TempDir private Path dir;

  @Test
  void sampleSettingsAreTheDefaults() {
    SettingsReader.Result result =
        SettingsReader.read(Map.of(), Map.of(), DEPLOY.resolve("weir.yaml"));
    assertThat(result.serverSettings()).contains(SettingsReader.DEFAULTS);
  }

  @Test
  void theSampleHasEveryKeyOnceAndInOrder() throws IOException {
    List<String> keys =
        Files.readAllLines(DEPLOY.resolve("weir.yaml")).stream()
            .filter(line -> line.matches("#[a-z_]+: .*"))
            .map(line -> line.substring(1, line.indexOf(':')))
            .toList();
    assertThat(keys)
        .containsExactlyElementsOf(Stream.of(Setting.values()).map(Setting::key).toList());
  }

  /** As if all its lines were wanted, but for the files, which are not here. */
  @Test
  void sampleValuesAreValid() throws IOException {
    List<String> lines =
        Files.readAllLines(DEPLOY.resolve("weir.yaml")).stream()
            .map(line -> line.replaceFirst("^#(?=[a-z_]+: )", ""))
            .filter(line -> FILES.stream().noneMatch(file -> line.startsWith(file.key() + ":")))
            .toList();
    Path config = Files.write(dir.resolve("weir.yaml"), lines);
    SettingsReader.Result result = SettingsReader.read(Map.of(), Map.of(), config);
    assertThat(result.problems()).isEmpty();
    assertThat(result.inFile()).isEmpty();
  }

  /** Where a default is written as a value, it is the one that holds. */
  @Test
  void defaultsMatchTheirDescriptions() {
    for (Setting setting : Setting.values()) {
      Map<Setting, List<String>> flag = Map.of(setting, List.of(setting.fallback()));
      if (setting.fallback().matches("[a-z0-9.%-]+") && !setting.fallback().equals("none")) {
        assertThat(SettingsReader.read(flag, Map.of(), null).serverSettings())
            .as(setting.flag())
            .contains(SettingsReader.DEFAULTS);
      }
    }
  }

  @Test
  void unitStartsAnExistingCommand() throws IOException {
    String unit = Files.readString(DEPLOY.resolve("weir.service"));
    assertThat(unit)
        .containsPattern(
            "ExecStart=/usr/bin/java @/opt/weir/start .*-jar /opt/weir/weir.jar serve --config ");
    assertFlagsExist(unit.replaceAll("(?m)^#.*", ""));
    assertVariablesExist(unit);
    assertThat(unit)
        .contains("#   scripts/archive /usr/bin/java /opt/weir/weir.jar /opt/weir/start\n");
    for (String file : found(unit, "install -D -m \\d+ (\\S+) ")) {
      assertThat(file.equals("cli/target/weir.jar") || Files.exists(ROOT.resolve(file)))
          .as(file)
          .isTrue();
    }
    assertThat(found(unit, "(?m)^RestartPreventExitStatus=(.*)$"))
        .as("the codes of what stays wrong: settings, rules")
        .containsExactly("2 3");
    long drain = ServerSettings.DEMO.drain().toSeconds();
    assertThat(Long.parseLong(found(unit, "TimeoutStopSec=(\\d+)").get(0))).isGreaterThan(drain);
  }

  /** The program reports when it is ready, and reloads by SIGHUP. */
  @Test
  void unitReportsReadinessAndReloads() throws IOException {
    String unit = Files.readString(DEPLOY.resolve("weir.service"));
    assertThat(unit)
        .containsPattern("(?m)^Type=notify$")
        .containsPattern("(?m)^NotifyAccess=main$")
        .containsPattern("(?m)^ExecReload=/bin/kill -HUP \\$MAINPID$");
    assertThat(found(unit, "(?m)^#LoadCredential=([a-z_]+):"))
        .as("credentials that need no setting")
        .containsExactly("admin_token", "service_token", "store")
        .allSatisfy(
            name ->
                assertThat(Stream.of(Setting.values()).map(Setting::key))
                    .contains(name, name + "_file"));
  }

  /** Also with the examples in its comments, and it stays locked up. */
  @Test
  void systemdUnderstandsTheUnit() throws Exception {
    Assumptions.assumeTrue(
        Stream.of("/bin", "/usr/bin")
            .anyMatch(bin -> Files.exists(Path.of(bin, "systemd-analyze"))),
        "no systemd-analyze is installed");
    String text =
        Files.readString(DEPLOY.resolve("weir.service")).replace("/usr/bin/java", "/bin/true");
    Path unit = dir.resolve("weir.service");
    for (String each :
        List.of(text, text.replaceAll("(?m)^#(?=(?:LoadCredential|Environment)=)", ""))) {
      Files.writeString(unit, each);
      assertThat(systemdAnalyze("verify", "--man=no", unit.toString()).output())
          .noneMatch(line -> line.contains("weir"));
    }
    Analysis exposure =
        systemdAnalyze("security", "--offline=yes", "--threshold=15", unit.toString());
    assertThat(exposure.exitCode()).as("at most 1.5: %s", exposure.output()).isZero();
  }

  private record Analysis(int exitCode, List<String> output) {}

  private Analysis systemdAnalyze(String... arguments) throws Exception {
    List<String> command = new ArrayList<>(List.of("systemd-analyze"));
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(dir.resolve("out").toFile())
            .start();
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Analysis(process.exitValue(), Files.readAllLines(dir.resolve("out")));
  }

  @Test
  void imageCopiesExistingFiles() throws Exception {
    String image = Files.readString(DEPLOY.resolve("Dockerfile"));
    assertFlagsExist(image.replaceAll("(?m)^(#|RUN|FROM|COPY|HEALTHCHECK).*", ""));
    assertVariablesExist(image);
    assertThat(image).contains("/opt/weir/archive java ", "\"@/opt/weir/start\"", "USER weir");
    assertThat(ROOT.resolve("scripts/archive")).isExecutable();
    assertThat(ROOT.resolve("weir")).isExecutable();
    assertThat(image).contains("/dev/tcp/127.0.0.1/" + ServerSettings.DEMO.admin().port());
  }

  @Test
  void tableOfSettingsIsComplete() throws IOException {
    List<String> rows = new ArrayList<>();
    for (Setting setting : Setting.values()) {
      rows.add(
          "| `%s` | `%s` | %s | %s |"
              .formatted(setting.flag(), setting.key(), setting.fallback(), setting.description()));
    }
    assertThat(Files.readAllLines(ROOT.resolve("docs/reference/settings.md")))
        .containsSubsequence(rows);
  }

  private static void assertFlagsExist(String text) {
    Set<String> known =
        Arrays.stream(Setting.values()).map(Setting::flag).collect(Collectors.toSet());
    known.add("--config");
    assertThat(found(text, "(?<=[\\s\"])(--[a-z-]+)")).isSubsetOf(known);
  }

  private static void assertVariablesExist(String text) {
    Set<String> known =
        Arrays.stream(Setting.values()).map(Setting::variable).collect(Collectors.toSet());
    assertThat(found(text, "(WEIR_[A-Z_]+)")).isNotEmpty().isSubsetOf(known);
  }

  private static List<String> found(String text, String pattern) {
    return Pattern.compile(pattern)
        .matcher(text)
        .results()
        .map((MatchResult match) -> match.group(1))
        .toList();
  }
}
