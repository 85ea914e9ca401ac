package io.weir.cli.serve;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.weir.RateLimiter;
import io.weir.rules.RuleSet;
import io.weir.rules.file.RuleFiles;
import org.junit.jupiter.api.Test;

/** A warning where keys cannot all be kept. */
class KeyMemoryCheckTest {
  private static final long MIB = 1 << 20;

  private static RuleSet rules() {
    String yaml =
        "rules:\n"
            + "  - { name: a, per: ip, limit: 10 per 1m }\n"
            + "  - { name: b, per: user, limit: 10 per 1m }\n";
    return RuleFiles.read("rules.yaml", yaml.getBytes(UTF_8)).rules().orElseThrow();
  }

  @Test
  void warningNamesProblemCauseAndRemedy() {
    assertThat(KeyMemoryCheck.warning(rules(), 2_000_000, 20 * MIB, 60 * MIB))
        .contains(
            "--max-keys 2,000,000 for 2 limits needs about 92 MiB, but all key tables together get"
                + " 20 MiB of the 60 MiB heap: about 436,906 keys a rule fit, and new keys beyond"
                + " them share overflow buckets; raise -Xmx to about 320m or lower --max-keys");
  }

  @Test
  void doesNotWarnIfKeysFit() {
    assertThat(KeyMemoryCheck.warning(rules(), 400_000, 20 * MIB, 60 * MIB)).isEmpty();
  }

  @Test
  void warnsOfTheDefaultOnlyInASmallHeap() {
    long maxKeys = RateLimiter.DEFAULT_MAX_KEYS;
    assertThat(KeyMemoryCheck.warning(rules(), maxKeys, 20 * MIB, 60 * MIB)).isEmpty();
    assertThat(KeyMemoryCheck.warning(rules(), maxKeys, 4 * MIB, 12 * MIB)).isPresent();
  }
}
