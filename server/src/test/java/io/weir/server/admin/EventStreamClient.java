package io.weir.server.admin;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.Socket;
import java.util.List;
import java.util.stream.Collectors;

/** A client of the event stream over HTTP/1.1. */
final class EventStreamClient implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  final Socket socket;
  final BufferedReader in;
  final String head;

  EventStreamClient(int port, String... headers) throws IOException {
    socket = new Socket("127.0.0.1", port);
    socket.setSoTimeout(30_000);
    String more = String.join("", List.of(headers));
    socket
        .getOutputStream()
        .write(("GET /v1/events HTTP/1.1\r\nHost: localhost\r\n" + more + "\r\n").getBytes(UTF_8));
    in = new BufferedReader(new InputStreamReader(socket.getInputStream(), UTF_8));
    StringBuilder lines = new StringBuilder();
    for (String line = in.readLine(); line != null && !line.isEmpty(); line = in.readLine()) {
      lines.append(line).append('\n');
    }
    head = lines.toString();
  }

  /** The data of the next event of this name. */
  JsonNode next(String event) throws IOException {
    for (String line = in.readLine(); line != null; line = in.readLine()) {
      if (line.equals("event: " + event)) {
        String data = in.readLine();
        assertThat(data).startsWith("data: ");
        return JSON.readTree(data.substring(6));
      }
    }
    throw new AssertionError("it has ended");
  }

  String rest() throws IOException {
    return in.lines().collect(Collectors.joining("\n"));
  }

  @Override
  public void close() throws IOException {
    socket.close();
  }
}
