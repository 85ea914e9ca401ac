package io.weir.server.rls;

import io.weir.rig.CoverageFuzzing;
import io.weir.rig.FuzzTarget;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;

/** Messages of the rate limit service, read by hand and by the code that protobuf generates. */
class ProtoFuzzTest implements FuzzTarget {
  @Test
  void agreesWithGeneratedCodeOnTheSeeds() {
    CoverageFuzzing.seeds(this);
  }

  @Test
  @Tag("soak")
  @EnabledForJreRange(max = JRE.JAVA_17)
  void agreesWithGeneratedCodeForMinutes() {
    CoverageFuzzing.minutes(this);
  }

  @Override
  public List<byte[]> seeds() {
    return List.of(
        Rls.request("d", Rls.descriptor("k", "v")).build().toByteArray(),
        Rls.request("d", Rls.descriptor("k", "ä€𝄞"), Rls.descriptor("", ""))
            .setHitsAddend(-1)
            .build()
            .toByteArray(),
        everyField(),
        new byte[0],
        new byte[] {0x0A, 1, 'd', 0x0B, 0x0C});
  }

  private static byte[] everyField() {
    var request = Rls.request("d", Rls.descriptor("k", "v"));
    var descriptor = request.getDescriptorsBuilder(0).setIsNegativeHits(true);
    descriptor.getLimitBuilder().setRequestsPerUnit(5).setUnitValue(2);
    descriptor.getHitsAddendBuilder().setValue(300);
    return request.build().toByteArray();
  }

  @Override
  public void run(byte[] input) {
    ProtoCodecProperties.requireAgreement(input);
  }
}
