package io.weir.server.gateway;

import static java.nio.charset.StandardCharsets.ISO_8859_1;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What came back for bytes that were sent over one connection.
 *
 * @param responses final ones, in order
 * @param end how the connection ended
 */
record RawExchange(List<Response> responses, End end) {
  private static final Pattern RESPONSE =
      Pattern.compile("HTTP/1\\.[01] ([1-9][0-9]{2})[^\r\n]*\r\n((?:[^\r\n]+\r\n)*)\r\n");
  private static final Pattern SEEN = Pattern.compile("(?im)^x-seen: ([^\r\n]*)");

  private static final Pattern CLOSE = Pattern.compile("(?im)^connection: *close");

  /** As often as it takes to end a body that is longer than what was sent. */
  private static final int MORE = 12;

  /** How a connection ended. */
  enum End {
    /** The server closed it. */
    CLOSED,
    /** The server closed it in the midst of what was sent; responses may be lost. */
    RESET,
    /** The server waited for more. */
    SILENT
  }

  /**
   * A response.
   *
   * @param seen the request that it answers, if the recorder has seen that
   * @param isLast whether it announces that no response follows
   */
  record Response(int status, Recorder.@Nullable Seen seen, boolean isLast) {}

  /**
   * Sends bytes and {@link Http1Case#LAST}, and reads until the server closes.
   *
   * @param client the address to connect from
   * @param silenceMillis how long the server may be silent before it counts as waiting for more
   */
  static RawExchange with(int port, String client, byte[] bytes, int silenceMillis)
      throws IOException {
    ByteArrayOutputStream received = new ByteArrayOutputStream();
    End end;
    try (Socket socket = new Socket()) {
      socket.setTcpNoDelay(true);
      socket.bind(new InetSocketAddress(client, 0));
      socket.connect(new InetSocketAddress("127.0.0.1", port), 30_000);
      socket.setSoTimeout(silenceMillis);
      end = exchange(socket, bytes, received);
    }
    return new RawExchange(parse(received.toString(ISO_8859_1)), end);
  }

  private static End exchange(Socket socket, byte[] bytes, ByteArrayOutputStream received)
      throws IOException {
    try {
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      all.writeBytes(bytes);
      all.writeBytes(Http1Case.LAST);
      socket.getOutputStream().write(all.toByteArray());
      if (readAll(socket.getInputStream(), received)) {
        return End.CLOSED;
      }
      ByteArrayOutputStream more = new ByteArrayOutputStream();
      for (int i = 0; i < MORE; i++) {
        more.writeBytes(Http1Case.LAST);
      }
      socket.getOutputStream().write(more.toByteArray());
      return readAll(socket.getInputStream(), received) ? End.CLOSED : End.SILENT;
    } catch (SocketException reset) {
      return End.RESET;
    }
  }

  /** Whether the end has come. */
  private static boolean readAll(InputStream in, ByteArrayOutputStream received)
      throws IOException {
    byte[] part = new byte[8192];
    try {
      for (int n = in.read(part); n >= 0; n = in.read(part)) {
        received.write(part, 0, n);
      }
      return true;
    } catch (SocketTimeoutException silence) {
      return false;
    }
  }

  private static List<Response> parse(String text) {
    List<Response> responses = new ArrayList<>();
    Matcher each = RESPONSE.matcher(text);
    while (each.find()) {
      int status = Integer.parseInt(each.group(1));
      if (status >= 200) {
        String head = each.group(2);
        Matcher seen = SEEN.matcher(head);
        responses.add(
            new Response(
                status,
                seen.find() ? Recorder.Seen.decode(seen.group(1)) : null,
                CLOSE.matcher(head).find()));
      }
    }
    return responses;
  }
}
