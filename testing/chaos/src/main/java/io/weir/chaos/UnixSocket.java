package io.weir.chaos;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;

/**
 * A connection through the file system: it reaches into any network namespace, and network cuts do
 * not affect it.
 *
 * <p>Two threads may use its two streams concurrently, which those of {@link
 * java.nio.channels.Channels} do not allow.
 */
final class UnixSocket implements AutoCloseable {
  private final SocketChannel channel;

  UnixSocket(SocketChannel channel) {
    this.channel = channel;
  }

  static UnixSocket connect(Path file) throws IOException {
    SocketChannel channel = SocketChannel.open(StandardProtocolFamily.UNIX);
    try {
      channel.connect(UnixDomainSocketAddress.of(file));
      return new UnixSocket(channel);
    } catch (IOException e) {
      channel.close();
      throw e;
    }
  }

  InputStream input() {
    return new InputStream() {
      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
      }

      @Override
      public int read(byte[] bytes, int offset, int length) throws IOException {
        return length == 0 ? 0 : channel.read(ByteBuffer.wrap(bytes, offset, length));
      }
    };
  }

  OutputStream output() {
    return new OutputStream() {
      @Override
      public void write(int one) throws IOException {
        write(new byte[] {(byte) one}, 0, 1);
      }

      @Override
      public void write(byte[] bytes, int offset, int length) throws IOException {
        ByteBuffer buffer = ByteBuffer.wrap(bytes, offset, length);
        while (buffer.hasRemaining()) {
          channel.write(buffer);
        }
      }
    };
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
