package io.weir.cli;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.Version;
import com.fasterxml.jackson.core.json.PackageVersion;
import org.junit.jupiter.api.Test;

/** Libraries in weir.jar that other libraries bring, in a version without known vulnerabilities. */
class ShippedLibrariesTest {
  @Test
  void jacksonHasTheFixOfGhsaR7wm3cxjWff9() {
    // Vert.x asks for 2.18.6.
    assertThat(PackageVersion.VERSION)
        .isGreaterThanOrEqualTo(
            new Version(2, 21, 4, null, "com.fasterxml.jackson.core", "jackson-core"));
  }
}
