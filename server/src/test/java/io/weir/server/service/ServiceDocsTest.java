package io.weir.server.service;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The commands in {@code docs/reference/http.md}, with the rules of the demonstration. */
class ServiceDocsTest {
  private static final Pattern CURL =
      Pattern.compile("(?m)^curl -s (?:-d '([^']*)' )?'?http://127\\.0\\.0\\.1:8081([^'\\s]*)'?$");

  /** What is printed below the line, if anything is. */
  private static final Pattern PRINTED = Pattern.compile("\n```\n```json\n(.*)\n```\n");

  @Test
  void everyCurlLineWorks() throws Exception {
    String text = Files.readString(Path.of("../docs/reference/http.md"));
    int printed = 0;
    String rules = Files.readString(Path.of("src/main/resources/io/weir/server/demo.yaml"));
    int lines = 0;
    String reservation = "";
    try (Service service = Service.start(rules)) {
      for (Matcher curl = CURL.matcher(text); curl.find(); lines++) {
        String body = curl.group(1) == null ? null : curl.group(1).replace("…", reservation);
        Service.Reply reply =
            body == null ? service.get(curl.group(2)) : service.post(curl.group(2), body);
        assertThat(reply.status()).as(curl.group()).isEqualTo(200);
        Matcher output = PRINTED.matcher(text).region(curl.end(), text.length());
        if (output.lookingAt()) {
          assertThat(reply.body()).as(curl.group()).isEqualTo(output.group(1));
          printed++;
        }
        reservation =
            reply.body().contains("\"ttl_seconds\"")
                ? reply.body().replaceAll(".*\"reservation\":\"([^\"]*)\".*", "$1")
                : reservation;
      }
    }
    assertThat(lines).isEqualTo(text.split("(?m)^curl ", -1).length - 1).isPositive();
    assertThat(printed).isEqualTo(text.split("```json", -1).length - 1).isPositive();
  }

  /** A header that the example clears and the page does not is one that a client can forge. */
  @Test
  void theBlockOfNginxSetsAndClearsWhatTheExampleDoes() throws Exception {
    String page = Files.readString(Path.of("../docs/reference/http.md"));
    String example = Files.readString(Path.of("../examples/nginx/nginx.conf"));
    String block =
        page.substring(page.indexOf("```nginx"), page.indexOf("}\n```", page.indexOf("```nginx")));
    String location = example.substring(example.indexOf("location = /_weir"));
    assertThat(headers(block))
        .containsAll(headers(location.substring(0, location.indexOf("}"))))
        .hasSizeGreaterThan(10);
  }

  /** The headers that describe the request and its client, with their values. */
  private static List<String> headers(String conf) {
    return Pattern.compile("proxy_set_header +((?:X-|Forwarded)\\S*) +(\\S+);")
        .matcher(conf)
        .results()
        .map(found -> found.group(1) + " " + found.group(2))
        .toList();
  }
}
