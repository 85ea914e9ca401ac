package io.weir.insight;

import static java.nio.charset.StandardCharsets.UTF_16BE;

import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.HexFormat;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;

/**
 * Gives callers ids that do not reveal their keys: a keyed hash (HMAC-SHA-256, the first 64 bits)
 * of rule and key, with a secret of this process. Without the secret, hashing all possible
 * addresses does not find the caller.
 */
final class CallerIds {
  private static final String ALGORITHM = "HmacSHA256";
  private static final int BYTES = 8;

  private @Nullable Mac mac; // created on first use, because it is slow and would delay the start

  private static Mac secret() {
    byte[] secret = new byte[32];
    new SecureRandom().nextBytes(secret);
    try {
      Mac made = Mac.getInstance(ALGORITHM);
      made.init(new SecretKeySpec(secret, ALGORITHM));
      return made;
    } catch (GeneralSecurityException e) {
      throw new IllegalStateException(ALGORITHM + " is part of every Java", e);
    }
  }

  /** Sixteen hexadecimal digits. */
  synchronized String of(String rule, String key) {
    Mac hash = mac == null ? secret() : mac;
    mac = hash;
    byte[] name = rule.getBytes(UTF_16BE);
    // a name may contain any character
    hash.update(ByteBuffer.allocate(4).putInt(name.length).array());
    hash.update(name);
    return HexFormat.of().formatHex(hash.doFinal(key.getBytes(UTF_16BE)), 0, BYTES);
  }
}
