package io.weir.rig;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

/**
 * A certificate authority for tests: issues certificates for names and addresses as PEM files.
 *
 * <p>The DER encoding is written by hand in about a page, because the JDK can read certificates but
 * not create them.
 */
public final class CertificateAuthority {
  private static final byte[] ECDSA_WITH_SHA256 = der(0x06, hex("2a8648ce3d040302"));
  private static final byte[] COMMON_NAME = der(0x06, hex("550403"));
  private static final byte[] BASIC_CONSTRAINTS = der(0x06, hex("551d13"));
  private static final byte[] SUBJECT_ALT_NAME = der(0x06, hex("551d11"));
  private static final byte[] TRUE = der(0x01, new byte[] {(byte) 0xff});
  private static final DateTimeFormatter UTC_TIME =
      DateTimeFormatter.ofPattern("yyMMddHHmmss'Z'", Locale.ROOT).withZone(ZoneOffset.UTC);

  private final Path directory = ProcessReaper.directory("tls");
  private final String name;
  private final KeyPair keys = newKeys();
  private final Path certificate;

  /** Creates an authority with a new key. */
  public CertificateAuthority(String name) {
    this.name = name;
    byte[] isAuthority = sequence(BASIC_CONSTRAINTS, TRUE, der(0x04, sequence(TRUE)));
    this.certificate =
        write("ca.crt", "CERTIFICATE", certificate(name, keys, isAuthority, Duration.ofDays(1)));
  }

  /** The certificate to trust in order to trust everything that this authority has issued. */
  public Path certificate() {
    return certificate;
  }

  /** A certificate for {@code name}, at localhost and 127.0.0.1. */
  public Identity issue(String name) {
    return issue(name, "localhost", new byte[] {127, 0, 0, 1}, Duration.ofDays(1));
  }

  /** A certificate for another host. */
  public Identity issueForHost(String name, String host) {
    return issue(name, host, new byte[] {10, 9, 8, 7}, Duration.ofDays(1));
  }

  /** A certificate that expired an hour ago. */
  public Identity issueExpired(String name) {
    return issue(name, "localhost", new byte[] {127, 0, 0, 1}, Duration.ofHours(-1));
  }

  private Identity issue(String owner, String host, byte[] address, Duration life) {
    KeyPair ownerKeys = newKeys();
    byte[] names =
        sequence(
            der(0x82, host.getBytes(StandardCharsets.US_ASCII)), //
            der(0x87, address));
    byte[] certificate =
        certificate(owner, ownerKeys, sequence(SUBJECT_ALT_NAME, der(0x04, names)), life);
    return new Identity(
        write(owner + ".crt", "CERTIFICATE", certificate),
        write(owner + ".key", "PRIVATE KEY", ownerKeys.getPrivate().getEncoded()));
  }

  /** A certificate and its key, in PEM files. */
  public record Identity(Path certificate, Path key) {}

  private byte[] certificate(String owner, KeyPair ownerKeys, byte[] extension, Duration life) {
    Instant now = Instant.now();
    byte[] algorithm = sequence(ECDSA_WITH_SHA256);
    byte[] content =
        sequence(
            der(0xa0, der(0x02, new byte[] {2})),
            der(0x02, new BigInteger(64, new SecureRandom()).add(BigInteger.ONE).toByteArray()),
            algorithm,
            distinguishedName(name),
            sequence(time(now.minus(Duration.ofDays(2))), time(now.plus(life))),
            distinguishedName(owner),
            ownerKeys.getPublic().getEncoded(),
            der(0xa3, sequence(extension)));
    return sequence(content, algorithm, bits(sign(keys.getPrivate(), content)));
  }

  private static byte[] distinguishedName(String name) {
    byte[] text = der(0x0c, name.getBytes(StandardCharsets.UTF_8));
    return sequence(der(0x31, sequence(COMMON_NAME, text)));
  }

  private static byte[] time(Instant instant) {
    return der(0x17, UTC_TIME.format(instant).getBytes(StandardCharsets.US_ASCII));
  }

  private static byte[] bits(byte[] content) {
    byte[] padded = new byte[content.length + 1];
    System.arraycopy(content, 0, padded, 1, content.length);
    return der(0x03, padded);
  }

  private static byte[] sequence(byte[]... parts) {
    return der(0x30, parts);
  }

  private static byte[] der(int tag, byte[]... parts) {
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      content.writeBytes(part);
    }
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(tag);
    int length = content.size();
    if (length < 128) {
      out.write(length);
    } else {
      List<Integer> digits = new ArrayList<>();
      for (int rest = length; rest > 0; rest >>= 8) {
        digits.add(rest & 255);
      }
      Collections.reverse(digits);
      out.write(0x80 | digits.size());
      digits.forEach(out::write);
    }
    out.writeBytes(content.toByteArray());
    return out.toByteArray();
  }

  private static byte[] hex(String digits) {
    return HexFormat.of().parseHex(digits);
  }

  private static KeyPair newKeys() {
    try {
      KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
      generator.initialize(new ECGenParameterSpec("secp256r1"));
      return generator.generateKeyPair();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private static byte[] sign(PrivateKey key, byte[] content) {
    try {
      Signature signature = Signature.getInstance("SHA256withECDSA");
      signature.initSign(key);
      signature.update(content);
      return signature.sign();
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(e);
    }
  }

  private Path write(String file, String kind, byte[] content) {
    String base64 = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
    String text = "-----BEGIN " + kind + "-----\n" + base64 + "\n-----END " + kind + "-----\n";
    try {
      return Files.writeString(directory.resolve(file), text);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}
