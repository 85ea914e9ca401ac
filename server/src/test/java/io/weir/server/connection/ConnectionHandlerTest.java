package io.weir.server.connection;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.http2.Http2CodecUtil;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Where the pipeline is not what is expected, as it may be in another version of Vert.x, nothing
 * would check what comes in.
 */
class ConnectionHandlerTest {
  private final List<String> received = new ArrayList<>();

  /** A connection without the handlers that Vert.x is known to install. */
  private EmbeddedChannel unknown() {
    return new EmbeddedChannel(
        new ConnectionHandler(new ConnectionLimiter()),
        new ChannelInboundHandlerAdapter() {
          @Override
          public void channelRead(ChannelHandlerContext ctx, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            received.add(bytes.toString(US_ASCII));
            bytes.release();
          }
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"GET /a HTTP/1.1\r\nHost: a\r\n\r\n", "PRI * HTTP/1.1\r\n\r\n", "\u0000"})
  void closesUnknownPipelineOverHttp1(String request) {
    EmbeddedChannel connection = unknown();
    ByteBuf bytes = Unpooled.copiedBuffer(request, US_ASCII);
    connection.writeInbound(bytes);
    assertThat(connection.isOpen()).isFalse();
    assertThat(String.join("", received)).isIn("", "\r\n");
    assertThat(bytes.refCnt()).isZero();
  }

  @Test
  void closesUnknownPipelineOverHttp2() {
    EmbeddedChannel connection = unknown();
    ByteBuf preface = Http2CodecUtil.connectionPrefaceBuf();
    ByteBuf bytes = Unpooled.copiedBuffer(preface, Unpooled.copiedBuffer("frames", US_ASCII));
    String begin = preface.toString(US_ASCII);
    connection.writeInbound(bytes);
    assertThat(connection.isOpen()).isFalse();
    assertThat(String.join("", received)).isEqualTo(begin);
    assertThat(bytes.refCnt()).isZero();
  }

  /** Bytes that were read before the connection was closed are dropped as well. */
  @Test
  void dropsWhatComesBehind() {
    EmbeddedChannel connection = unknown();
    connection.pipeline().fireChannelRead(Unpooled.copiedBuffer("GET /a", US_ASCII));
    connection.pipeline().fireChannelRead(Unpooled.copiedBuffer("GET /b", US_ASCII));
    assertThat(String.join("", received)).isIn("", "\r\n");
  }
}
