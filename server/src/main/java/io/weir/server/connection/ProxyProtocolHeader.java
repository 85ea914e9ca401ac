package io.weir.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.util.NetUtil;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A header of the PROXY protocol, version 1 or 2, by which a proxy reports the client's address at
 * the start of a connection.
 *
 * @param client null if the proxy connects on its own behalf, as for a health check
 * @param length in bytes
 */
record ProxyProtocolHeader(@Nullable InetSocketAddress client, int length) {
  /*
   *   1   PROXY TCP4 203.0.113.7 192.0.2.1 51234 443\r\n        at most 107 bytes
   *
   *   2   \r\n\r\n\0\r\nQUIT\n   12 bytes with which no other protocol begins
   *       0x2c                   version 2 and command: 0 local, 1 for a client
   *       0xfp                   family: 1 IPv4, 2 IPv6; protocol: 1 TCP
   *       length                 of the rest, 2 bytes
   *       addresses, ports       source, destination; then optional fields of the proxy
   */

  private static final byte[] FIRST = "PROXY ".getBytes(StandardCharsets.US_ASCII);
  private static final byte[] SECOND = {
    '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n'
  };

  /** The protocol forbids leading zeros, because some programs would read an octal number. */
  private static final Pattern LEADING_ZERO = Pattern.compile("(?:^|[.])0[0-9]");

  private static final Pattern PORT = Pattern.compile("0|[1-9][0-9]{0,4}");
  private static final int MAX_V1_BYTES = 107;
  private static final int MAX_V2_BYTES = 4096;
  private static final int FIXED = 16;

  /** The bytes are not a valid header. */
  static final class MalformedHeaderException extends Exception {
    private static final long serialVersionUID = 1;

    MalformedHeaderException(String why) {
      super(why, null, false, false);
    }
  }

  /** Parses the header without consuming it; null if it is incomplete. */
  static @Nullable ProxyProtocolHeader read(ByteBuf in) throws MalformedHeaderException {
    if (begins(in, FIRST)) {
      return in.readableBytes() < FIRST.length ? null : first(in);
    }
    if (begins(in, SECOND)) {
      return in.readableBytes() < FIXED ? null : second(in);
    }
    throw new MalformedHeaderException("not a header of the PROXY protocol, version 1 or 2");
  }

  private static boolean begins(ByteBuf in, byte[] with) {
    int length = Math.min(in.readableBytes(), with.length);
    for (int i = 0; i < length; i++) {
      if (in.getByte(in.readerIndex() + i) != with[i]) {
        return false;
      }
    }
    return true;
  }

  private static @Nullable ProxyProtocolHeader first(ByteBuf in) throws MalformedHeaderException {
    int from = in.readerIndex();
    int scanned = Math.min(in.readableBytes(), MAX_V1_BYTES);
    int end = in.indexOf(from, from + scanned, (byte) '\n') - from;
    if (end < 0) {
      if (scanned == MAX_V1_BYTES) {
        throw new MalformedHeaderException("the line is too long");
      }
      return null;
    }
    String line = in.toString(from, end + 1, StandardCharsets.ISO_8859_1);
    String[] words = line.substring(0, Math.max(0, end - 1)).split(" ", -1);
    if (!line.endsWith("\r\n")) {
      throw new MalformedHeaderException("the line does not end with CR LF");
    }
    if (words.length > 1 && words[1].equals("UNKNOWN")) {
      return new ProxyProtocolHeader(null, line.length());
    }
    boolean isIpv4 = words.length == 6 && words[1].equals("TCP4");
    boolean isIpv6 = words.length == 6 && words[1].equals("TCP6");
    if (!isIpv4 && !isIpv6) {
      throw new MalformedHeaderException(
          "the line has neither TCP4 nor TCP6 with addresses and ports");
    }
    InetSocketAddress client = address(words[2], words[4], isIpv4);
    address(words[3], words[5], isIpv4);
    return new ProxyProtocolHeader(client, line.length());
  }

  private static InetSocketAddress address(String address, String port, boolean isIpv4)
      throws MalformedHeaderException {
    boolean isAddress =
        isIpv4
            ? NetUtil.isValidIpV4Address(address)
            : address.indexOf('%') < 0
                && address.indexOf('[') < 0
                && NetUtil.isValidIpV6Address(address);
    boolean isPort = PORT.matcher(port).matches() && Integer.parseInt(port) < 65_536;
    String lastGroup = address.substring(address.lastIndexOf(':') + 1);
    boolean isDotted = lastGroup.indexOf('.') >= 0;
    if (isDotted && LEADING_ZERO.matcher(lastGroup).find()) {
      throw new MalformedHeaderException("a number of an address begins with 0");
    }
    byte[] bytes = isAddress ? NetUtil.createByteArrayFromIpAddressString(address) : null;
    if (bytes == null || !isPort) {
      throw new MalformedHeaderException("an address or a port is invalid");
    }
    return socketAddress(bytes, Integer.parseInt(port));
  }

  private static InetSocketAddress socketAddress(byte[] bytes, int port)
      throws MalformedHeaderException {
    try {
      return new InetSocketAddress(InetAddress.getByAddress(bytes), port);
    } catch (UnknownHostException e) {
      throw new MalformedHeaderException("an address is invalid");
    }
  }

  private static @Nullable ProxyProtocolHeader second(ByteBuf in) throws MalformedHeaderException {
    int from = in.readerIndex();
    int command = in.getUnsignedByte(from + 12);
    int family = in.getUnsignedByte(from + 13);
    int length = in.getUnsignedShort(from + 14);
    if (command != 0x20 && command != 0x21) {
      throw new MalformedHeaderException("unknown version or command");
    }
    if (length > MAX_V2_BYTES) {
      throw new MalformedHeaderException("too long");
    }
    int needed = family == 0x11 ? 12 : family == 0x21 ? 36 : 0;
    if (command == 0x21 && length < needed) {
      throw new MalformedHeaderException("too short for its addresses");
    }
    if (in.readableBytes() < FIXED + length) {
      return null;
    }
    if (command == 0x20 || needed == 0) { // only TCP over IP has a client address
      return new ProxyProtocolHeader(null, FIXED + length);
    }
    byte[] address = new byte[needed == 12 ? 4 : 16];
    in.getBytes(from + FIXED, address);
    int port = in.getUnsignedShort(from + FIXED + 2 * address.length);
    return new ProxyProtocolHeader(socketAddress(address, port), FIXED + length);
  }
}
