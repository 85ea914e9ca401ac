package io.weir.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.weir.rig.GoProgram;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;

/** Each port keeps to HTTP/2, as h2spec checks it, but for what is explained here. */
@Tag("soak")
class H2specTest {
  private static final String H2SPEC =
      "github.com/summerwind/h2spec/cmd/h2spec@v2.2.1+incompatible";

  /** So many tests of h2spec 2.2.1 are run against a server. */
  private static final int TESTS = 145;

  /** Failures that are known, by section and title, and why they are let be. */
  private static final Map<String, String> EXPLAINED =
      Map.of(
          "3.5 Sends invalid connection preface",
          "The port speaks HTTP/1 too: what is no preface is a request that makes no sense. It is"
              + " answered by 400 in HTTP/1.1, and the connection is closed, where h2spec wants"
              + " nothing but the end.",
          "5.1 half closed (remote): Sends a HEADERS frame",
          "Netty resets the stream with another code than STREAM_CLOSED. The second head of the"
              + " stream is not decided and not forwarded.",
          "5.1 closed: Sends a HEADERS frame",
          "Netty resets the stream where the connection should end. The second head of the stream"
              + " is not decided and not forwarded.",
          "5.1.1 Sends stream identifier that is numerically smaller than previous",
          "Netty resets the stream where the connection should end. The request of that stream is"
              + " not decided and not forwarded.",
          "6.9.2 Sends a SETTINGS frame for window size to be negative",
          "A client that makes its window smaller while responses wait for it is cut off: it could"
              + " have many kept where they are not counted.");

  @TempDir private Path directory;

  @ParameterizedTest
  @ValueSource(strings = {"gateway", "service", "admin"})
  @Timeout(1200)
  void keepsToTheSpecification(String port) throws Exception {
    Path h2spec = GoProgram.build(H2SPEC).orElse(null);
    assumeTrue(h2spec != null, "h2spec is not there: it takes Go and its module proxy");
    try (Server server = Server.start(ServerSettings.DEMO.onFreePorts())) {
      int number =
          switch (port) {
            case "gateway" -> server.gatewayPort();
            case "service" -> server.servicePort();
            default -> server.adminPort();
          };
      assertThat(failures(h2spec, number)).isSubsetOf(EXPLAINED.keySet());
    }
  }

  private List<String> failures(Path h2spec, int port) throws Exception {
    File report = directory.resolve("report.xml").toFile();
    Process process =
        new ProcessBuilder(
                List.of(h2spec.toString(), "-p", "" + port, "-o", "5", "-j", report.getPath()))
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve("h2spec.log").toFile())
            .start();
    try {
      assertThat(process.waitFor(10, TimeUnit.MINUTES)).as("h2spec has ended").isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(report).as(Files.readString(directory.resolve("h2spec.log"))).exists();
    Document document = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(report);
    NodeList tests = document.getElementsByTagName("testcase");
    assertThat(tests.getLength()).isEqualTo(TESTS);
    List<String> failures = new ArrayList<>();
    for (int i = 0; i < tests.getLength(); i++) {
      Element test = (Element) tests.item(i);
      boolean isFailed =
          test.getElementsByTagName("error").getLength() > 0
              || test.getElementsByTagName("failure").getLength() > 0;
      if (isFailed) {
        String section = test.getAttribute("package").replaceFirst(".*/", "");
        failures.add(section + " " + test.getAttribute("classname"));
      }
    }
    return failures;
  }
}
