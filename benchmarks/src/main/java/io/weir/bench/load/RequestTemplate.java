package io.weir.bench.load;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A kind of request, and the form of its good responses.
 *
 * @param protocol the protocol
 * @param path the path, over HTTP/2; a request over HTTP/1.1 contains it
 * @param requests one is chosen at random each time: over HTTP/2 its message, over HTTP/1.1 head
 *     and body as they are sent
 * @param expectedResponse the form of a good response
 */
public record RequestTemplate(
    Protocol protocol, String path, List<byte[]> requests, ExpectedResponse expectedResponse) {
  /** The protocols. */
  public enum Protocol {
    /** Over plaintext HTTP/2: 4 connections with 32 streams each. */
    GRPC(4, 32),
    /** Over HTTP/1.1: 64 connections with one request each. */
    HTTP(64, 1);

    private final int connections;
    private final int streams;

    Protocol(int connections, int streams) {
      this.connections = connections;
      this.streams = streams;
    }

    int connections() {
      return connections;
    }

    int streams() {
      return streams;
    }
  }

  /** Writes it to a file for another JVM. */
  public void write(Path file) throws IOException {
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      out.writeUTF(protocol.name());
      out.writeUTF(path);
      expectedResponse.write(out);
      out.writeInt(requests.size());
      for (byte[] request : requests) {
        out.writeInt(request.length);
        out.write(request);
      }
    }
  }

  static RequestTemplate read(Path file) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new java.io.ByteArrayInputStream(Files.readAllBytes(file)))) {
      Protocol protocol = Protocol.valueOf(in.readUTF());
      String path = in.readUTF();
      ExpectedResponse expectedResponse = ExpectedResponse.read(in);
      List<byte[]> requests = new ArrayList<>();
      for (int i = in.readInt(); i > 0; i--) {
        requests.add(in.readNBytes(in.readInt()));
      }
      return new RequestTemplate(protocol, path, requests, expectedResponse);
    }
  }
}
