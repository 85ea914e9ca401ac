package io.weir.server.connection;

import io.netty.buffer.ByteBuf;
import io.netty.channel.ChannelHandlerContext;
import io.netty.handler.codec.ByteToMessageDecoder;
import io.vertx.core.net.SocketAddress;
import io.vertx.core.net.impl.ConnectionBase;
import java.util.List;

/**
 * Decodes the PROXY protocol header at the start of a connection; see {@link ProxyProtocolHeader}.
 */
@SuppressWarnings("FutureReturnValueIgnored") // nothing follows
final class ProxyProtocolDecoder extends ByteToMessageDecoder {
  private final ConnectionHandler connectionHandler;

  ProxyProtocolDecoder(ConnectionHandler connectionHandler) {
    this.connectionHandler = connectionHandler;
  }

  @Override
  protected void decode(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    if (connectionHandler.connectionPhase == ConnectionTimeouts.ConnectionPhase.SILENT) {
      connectionHandler.enterPhase(ConnectionTimeouts.ConnectionPhase.HEAD);
    }
    try {
      ProxyProtocolHeader header = ProxyProtocolHeader.read(in);
      if (header != null) {
        in.skipBytes(header.length());
        if (header.client() != null) {
          ctx.channel()
              .attr(ConnectionBase.REMOTE_ADDRESS_OVERRIDE)
              .set(SocketAddress.inetSocketAddress(header.client()));
          connectionHandler.introduce(header.client());
        }
        ctx.pipeline().remove(this);
      }
    } catch (ProxyProtocolHeader.MalformedHeaderException e) {
      in.skipBytes(in.readableBytes());
      ctx.close();
    }
  }

  /** Discards an incomplete header when the connection ends. */
  @Override
  protected void decodeLast(ChannelHandlerContext ctx, ByteBuf in, List<Object> out) {
    in.skipBytes(in.readableBytes());
  }
}
