package io.weir.bench.service.load;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What is asked, and what the answer must look like.
 *
 * @param protocol how it is asked
 * @param path where
 * @param bodies one is drawn at random for each request
 * @param expected an answer is good if its body has these bytes at these places
 */
public record Question(Protocol protocol, String path, List<byte[]> bodies, Expected expected) {
  /** Ways to ask. */
  public enum Protocol {
    /** Over HTTP/2 in clear: 4 connections with 32 streams each. */
    GRPC(4, 32),
    /** {@code POST} over HTTP/1.1: 64 connections with one request each. */
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

  /** For another JVM. */
  public void write(Path file) throws IOException {
    try (DataOutputStream out = new DataOutputStream(Files.newOutputStream(file))) {
      out.writeUTF(protocol.name());
      out.writeUTF(path);
      out.writeUTF(expected.text());
      out.writeInt(bodies.size());
      for (byte[] body : bodies) {
        out.writeInt(body.length);
        out.write(body);
      }
    }
  }

  static Question read(Path file) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new java.io.ByteArrayInputStream(Files.readAllBytes(file)))) {
      Protocol protocol = Protocol.valueOf(in.readUTF());
      String path = in.readUTF();
      Expected expected = Expected.of(in.readUTF());
      List<byte[]> bodies = new ArrayList<>();
      for (int i = in.readInt(); i > 0; i--) {
        bodies.add(in.readNBytes(in.readInt()));
      }
      return new Question(protocol, path, bodies, expected);
    }
  }
}
